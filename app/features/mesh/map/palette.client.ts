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
  'genesis-wash',
  'ring-fill',
  'globe-1',
  'globe-2',
  'globe-3',
  'halo',
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
  // High contrast would make one colour of all: land, names and nodes.
  probe.style.forcedColorAdjust = 'none';
  // All are added before the first is read, so that the browser computes the styles once.
  const samples = COLOURS.map((name) => {
    const sample = probe.appendChild(document.createElement('i'));
    sample.style.color = `var(--${name})`;
    return [name, sample] as const;
  });
  const palette = {
    ...Object.fromEntries(
      samples.map(([name, sample]) => [name, asRgb(getComputedStyle(sample).color)]),
    ),
    font: getComputedStyle(probe).fontFamily,
  } as Palette;
  probe.remove();
  return palette;
}

/** A mixed colour, `color(srgb 0.1 0.4 0.4 / 0.26)`, as the others are: `rgb(26 102 102 / 0.26)`. */
function asRgb(colour: string): string {
  const [, parts] = /^color\(srgb (.*)\)$/.exec(colour) ?? [];
  if (parts === undefined) return colour;
  const [red = 0, green = 0, blue = 0, alpha = 1] = parts.split(/[\s/]+/).map(Number);
  const whole = [red, green, blue].map((part) => Math.round(part * 255));
  return `rgb(${whole.join(' ')} / ${alpha})`;
}

/** Of another time no states are known: all nodes have one colour. */
export const withoutStates = (palette: Palette): Palette => ({
  ...palette,
  online: palette['ink-2'],
  glow: palette['ink-2'].replace(/^rgba?\((.*)\)$/, (_, parts: string) => {
    const [red, green, blue] = parts.split(/[\s,]+/);
    return `rgb(${red} ${green} ${blue} / 0.3)`;
  }),
});
