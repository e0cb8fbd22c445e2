/** The colours that the canvases draw with: the page's own custom properties, of the present theme. */
export const COLOURS = [
  'sea',
  'land',
  'coast',
  'graticule',
  'online',
  'syncing',
  'idle',
  'offline',
  'genesis',
  'accent',
] as const;
export type Palette = Record<(typeof COLOURS)[number], string>;

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  return Object.fromEntries(
    COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
  ) as Palette;
}
