import { useLocation, useNavigationType, type Location } from '@remix-run/react';
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
    if (!somethingIsWrong()) focusHeading();
  }, [step]);
}

const somethingIsWrong = () =>
  document.querySelector('main :is([aria-invalid="true"], [role="alert"])') !== null;

/**
 * On the page of a registration: to the heading of the job that was opened, else as {@link useHeadingFocus}. The focus
 * stays after a navigation that nobody asked for.
 */
export function useJobFocus(): void {
  const { key, search, state } = useLocation() as Location<{ quiet?: boolean } | null>;
  const type: string = useNavigationType();
  const before = useRef(type === 'POP' ? { key, search } : null);
  useEffect(() => {
    const last = before.current;
    if (last?.key === key) return;
    before.current = { key, search };
    if (state?.quiet || somethingIsWrong()) return;
    const job = last && last.search !== search ? document.querySelector('[data-open] h2') : null;
    if (job instanceof HTMLElement) focus(job);
    else focusHeading();
  }, [key, search, state]);
}

/** Moves the focus to the heading, so that keyboard and screen reader continue below it. */
export function focusHeading(): void {
  const heading = document.querySelector('h1');
  if (heading) focus(heading);
}

function focus(heading: HTMLElement): void {
  heading.tabIndex = -1;
  heading.focus();
}
