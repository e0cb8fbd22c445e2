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
  'surface',
  'ink',
] as const;
export type Palette = Record<(typeof COLOURS)[number] | 'font', string>;

/** The properties say `light-dark(…)`: which of the two holds here an element with that colour knows. */
export function readPalette(element: Element): Palette {
  const probe = element.appendChild(document.createElement('i'));
  probe.hidden = true;
  const style = getComputedStyle(probe);
  const palette = COLOURS.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, style.color];
  });
  palette.push(['font', style.fontFamily]);
  const read = Object.fromEntries(palette) as Palette;
  probe.remove();
  return read;
}
