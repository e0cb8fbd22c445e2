/** The colours of the canvases: the custom properties of the page in its current theme. */
const COLOURS = [
  'sea',
  'land',
  'coast',
  'graticule',
  'glow',
  'shoal',
  'river',
  'border',
  'water-name',
  'place-name',
  'name-halo',
  'online',
  'syncing',
  'idle',
  'offline',
  'genesis',
  'accent',
  'surface',
  'ink',
  'ink-2',
] as const;
export type Palette = Record<(typeof COLOURS)[number] | 'font', string>;

/** Reads the colours from elements that have them, because the properties themselves say `light-dark(…)`. */
export function readPalette(element: Element): Palette {
  const probe = element.appendChild(document.createElement('div'));
  probe.hidden = true;
  // All are added before the first is read, so that the browser computes the styles once.
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
