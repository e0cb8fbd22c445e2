import { useNavigationType } from '@remix-run/react';
import { useEffect, useRef } from 'react';

/**
 * Moves the focus to the heading when another step replaces the one that had it. If something is wrong, its
 * field or message already has the focus; after a full page load, the browser decides.
 * @param step whatever changes with the step
 */
export function useHeadingFocus(step: string): void {
  const type: string = useNavigationType();
  const before = useRef(type === 'POP' ? step : null);
  useEffect(() => {
    if (before.current === step) return;
    before.current = step;
    if (document.querySelector('main :is([aria-invalid="true"], [role="alert"])')) return;
    focusHeading();
  }, [step]);
}

/** Moves the focus to the heading, so that keyboard and screen reader continue below it. */
export function focusHeading(): void {
  const heading = document.querySelector('h1');
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus();
}
