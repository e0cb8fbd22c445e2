/** The rows of the queue in the document: shortcuts and the panel move the focus and the scroll position to them. */

/** The link of each row, from the top of the list. Its `data-row` is the registration's note. */
const rowLinks = () => [...document.querySelectorAll<HTMLElement>('[data-row]')];

/** False on a narrow screen while a registration is open: it replaces the list. */
const isShown = (link: HTMLElement) => link.offsetParent !== null;

/** Scrolls as little as needed to show the row and some of its neighbours (`scroll-margin`). */
const scrollToRow = (link: HTMLElement) => link.closest('tr')?.scrollIntoView({ block: 'nearest' });

/**
 * The link this many rows below the focused one, or below the open one.
 * @param by rows; negative goes up
 */
export function rowLinkFromHere(by: number): HTMLElement | undefined {
  const links = rowLinks();
  const note = noteOfRow(document.activeElement);
  const focused = links.findIndex((link) => link.dataset['row'] === note);
  const from =
    focused >= 0 ? focused : links.findIndex((link) => link.hasAttribute('aria-current'));
  return links[from < 0 && by < 0 ? links.length - 1 : from + by];
}

/** The note of the row that an element is in. */
export const noteOfRow = (element: Element | null): string | undefined =>
  element?.closest('tr')?.querySelector<HTMLElement>('[data-row]')?.dataset['row'];

/** @returns false where the row isn't shown */
export function focusRow(link: HTMLElement): boolean {
  if (!isShown(link)) return false;
  link.focus({ preventScroll: true });
  scrollToRow(link);
  return true;
}

/** Focuses the row at this position, or the last one. @returns false where there is none */
export function focusRowAt(index: number): boolean {
  const links = rowLinks();
  const link = links[Math.min(index, links.length - 1)];
  return link !== undefined && focusRow(link);
}

/** Whether somebody has scrolled the page or its list. */
export const isScrolled = (): boolean =>
  window.scrollY > 0 || (document.querySelector('[data-scrolls]')?.scrollTop ?? 0) > 0;

/** Shows the open row beside its panel, unless the pointer is on it: that row must not move away. */
export function revealOpenRow(): void {
  const link = rowLinks().find((link) => link.hasAttribute('aria-current'));
  if (link && isShown(link) && !link.matches('tr:hover *')) scrollToRow(link);
}
