/** The rows of the queue, where they stand in the document: the keys and what is opened go to them. */

/** From the top of the list. A row is found by its link. */
const allRows = () => [...document.querySelectorAll<HTMLElement>('[data-row]')];

/** A narrow screen shows the list or what is open, never both. */
const isShown = (row: HTMLElement) => row.offsetParent !== null;

/** No further than is needed for the row and some of its neighbours to be seen (`scroll-margin`). */
const scrollTo = (row: HTMLElement) => row.closest('tr')?.scrollIntoView({ block: 'nearest' });

/**
 * The row so many further than the one that has the focus, else than the one that is open.
 * @param by negative goes up
 */
export function rowFromHere(by: number): HTMLElement | undefined {
  const all = allRows();
  const focused = all.findIndex((row) => row === document.activeElement);
  const from = focused >= 0 ? focused : all.findIndex((row) => row.hasAttribute('aria-current'));
  return all[from < 0 && by < 0 ? all.length - 1 : from + by];
}

/** @returns whether it can be seen: what is open may have the place of the list */
export function goToRow(row: HTMLElement): boolean {
  if (!isShown(row)) return false;
  row.focus({ preventScroll: true });
  scrollTo(row);
  return true;
}

/** @returns false where there is none at this place */
export function goToPlace(index: number): boolean {
  const all = allRows();
  const row = all[Math.min(index, all.length - 1)];
  return row !== undefined && goToRow(row);
}

/** Beside what was opened its row is seen as well. What the pointer is on does not move away from it. */
export function revealOpenRow(): void {
  const row = allRows().find((row) => row.hasAttribute('aria-current'));
  if (row && isShown(row) && !row.matches('tr:hover *')) scrollTo(row);
}
