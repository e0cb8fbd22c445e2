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
  const probe = element.appendChild(document.createElement('div'));
  probe.hidden = true;
  // All are there before the first is read: the styles are worked out once.
  const samples = COLOURS.map((name) => {
    const sample = probe.appendChild(document.createElement('i'));
    sample.style.color = `var(--${name})`;
    return [name, sample] as const;
  });
  const palette = {
    ...Object.fromEntries(samples.map(([name, sample]) => [name, getComputedStyle(sample).color])),
    font: getComputedStyle(probe).fontFamily,
  } as Palette;
  probe.remove();
  return palette;
}
