import { useNavigationType } from '@remix-run/react';
import { useEffect, useRef } from 'react';

/**
 * Reading goes on at the heading when another step takes the place of the one that had the focus; where
 * something is wrong, that is said, and its field has the focus already. A page that was loaded whole begins where the browser says.
 * @param step whatever changes with the step
 */
export function useHeadingFocus(step: string): void {
  const type: string = useNavigationType();
  const before = useRef(type === 'POP' ? step : null);
  useEffect(() => {
    if (before.current === step) return;
    before.current = step;
    if (document.querySelector('main :is([aria-invalid="true"], [role="alert"])')) return;
    const heading = document.querySelector('h1');
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus();
  }, [step]);
}
