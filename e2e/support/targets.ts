import type { Page } from 'playwright/test';

/** The least width and height of what can be pressed, px (WCAG 2.2, 2.5.8). */
const LEAST = 24;

/** What may be smaller, with the reason. */
const SMALLER: Record<string, string> = {
  '.leaflet-container *': 'the map measures its markers itself, which overlap as places do',
};

/**
 * What can be pressed on the page and is smaller than 24 px, with its size. A link within a sentence may be: its line
 * sets its height. A checkbox counts with its label.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(
    ({ least, smaller }) => {
      const pressed =
        'a[href], button, summary, select, textarea, input:not([type=hidden]), [role=slider], [role=tab]';
      /** Whether text stands beside it on its line. */
      const inSentence = (element: Element) =>
        getComputedStyle(element).display === 'inline' &&
        [...(element.parentElement?.childNodes ?? [])].some(
          (node) => node instanceof Text && /\p{L}/u.test(node.data),
        );
      return [...document.querySelectorAll<HTMLElement>(pressed)]
        .filter((element) => {
          const { width, height } = element.getBoundingClientRect();
          // What only screen readers find is 1 px.
          return element.checkVisibility({ visibilityProperty: true }) && width > 2 && height > 2;
        })
        .filter((element) => !element.matches(smaller) && !inSentence(element))
        .map((element) => {
          const boxes = [element, ...('labels' in element ? (element.labels as NodeList) : [])].map(
            (one) => (one as Element).getBoundingClientRect(),
          );
          const width = Math.max(...boxes.map((box) => box.width));
          const height = Math.max(...boxes.map((box) => box.height));
          return { element, width, height };
        })
        .filter(({ width, height }) => Math.min(width, height) < least - 0.01)
        .map(
          ({ element, width, height }) =>
            `${Math.round(width)} × ${Math.round(height)}: ${element.outerHTML.slice(0, 160)}`,
        );
    },
    { least: LEAST, smaller: Object.keys(SMALLER).join(', ') },
  );
}
