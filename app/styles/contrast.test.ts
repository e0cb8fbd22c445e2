import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * Every pair of colours that stand on one another can be told apart by those who see little: text by 4.5 to 1, shapes and
 * edges that say something by 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11), in both themes. Computed from the tokens, with washes
 * mixed into the ground below them.
 */

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');

type Rgb = readonly [number, number, number];
/** Red, green and blue from 0 to 255, and how much of it covers what is below. */
interface Colour {
  rgb: Rgb;
  alpha: number;
}
type Theme = 'light' | 'dark';

/** The arguments of a function of CSS, such as both colours of `light-dark()`. */
function parts(list: string): string[] {
  const found: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at < list.length; at++) {
    if (list[at] === '(') depth++;
    else if (list[at] === ')') depth--;
    else if (list[at] === ',' && depth === 0) {
      found.push(list.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...found, list.slice(from).trim()].filter((part) => part !== '');
}

/** The tokens that are one colour for each theme. */
const TOKENS = new Map(
  [...css.matchAll(/^ {2}--([\w-]+):\s*light-dark\(([^;]+)\);/gms)].map(
    ([, name = '', both = '']) => [name, parts(both)] as const,
  ),
);

function colour(value: string, theme: Theme): Colour {
  const hex = /^#(..)(..)(..)$/.exec(value);
  if (hex) {
    const [r = 0, g = 0, b = 0] = hex.slice(1).map((digits) => Number.parseInt(digits, 16));
    return { rgb: [r, g, b], alpha: 1 };
  }
  const rgb = /^rgb\((\d+) (\d+) (\d+) \/ ([\d.]+)%\)$/.exec(value);
  if (rgb) {
    const [r = 0, g = 0, b = 0, percent = 0] = rgb.slice(1).map(Number);
    return { rgb: [r, g, b], alpha: percent / 100 };
  }
  const mix = /^color-mix\(in srgb, var\(--([\w-]+)\) (\d+)%, transparent\)$/.exec(value);
  if (mix) return { rgb: token(mix[1] ?? '', theme).rgb, alpha: Number(mix[2]) / 100 };
  throw new Error(`no colour that this test reads: ${value}`);
}

function token(name: string, theme: Theme): Colour {
  const value = TOKENS.get(name)?.[theme === 'light' ? 0 : 1];
  if (value === undefined) throw new Error(`no colour is called --${name}`);
  return colour(value, theme);
}

/** A ground of several layers, the lowest first: "paper wash". */
const layered = (names: string, theme: Theme): Rgb =>
  names.split(' ').reduce<Rgb>(
    (below, name) => {
      const { rgb, alpha } = token(name, theme);
      const [r, g, b] = rgb.map((channel, i) => channel * alpha + (below[i] ?? 0) * (1 - alpha));
      return [r ?? 0, g ?? 0, b ?? 0];
    },
    [0, 0, 0],
  );

function luminance(rgb: Rgb): number {
  const [r = 0, g = 0, b = 0] = rgb.map((channel) => {
    const share = channel / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const PAGES = ['paper', 'surface', 'sunk'];
const CHOSEN = ['paper wash', 'surface wash'];
const NOTICES = [
  'paper warn-wash',
  'surface warn-wash',
  'paper danger-wash',
  'surface danger-wash',
];
const STATES = ['online', 'syncing', 'idle', 'offline', 'danger'];

/** Colours with the grounds on which they are text. */
const TEXT: [string[], string[]][] = [
  [
    ['ink', 'ink-2', 'ink-3'],
    [...PAGES, ...CHOSEN, ...NOTICES],
  ],
  [['accent'], [...PAGES, ...CHOSEN, ...NOTICES]],
  [STATES, [...PAGES, ...CHOSEN]],
  [['online'], ['paper area', 'surface area']],
  [['danger'], ['paper danger-wash', 'surface danger-wash']],
  [['idle'], ['paper warn-wash', 'surface warn-wash']],
  [['genesis-ink'], ['paper', 'surface', 'surface genesis-wash']],
  [['on-accent'], ['accent']],
  // A chosen chip.
  [['surface'], ['ink']],
  [['water-name'], ['sea', 'shoal', 'globe-1', 'globe-2', 'globe-3']],
  [['place-name'], ['land', 'name-halo', 'sea', 'paper', 'surface']],
];

/** Colours with the grounds on which they are shapes, lines and edges that say something. */
const SHAPES: [string[], string[]][] = [
  [
    [...STATES, 'genesis'],
    [...PAGES, ...CHOSEN, 'sea', 'land', 'sea ring-fill'],
  ],
  [['edge'], ['paper', 'surface', ...CHOSEN]],
  [['ink-2'], ['sea ring-fill']],
  [['accent'], [...PAGES, 'sea', 'land', 'space']],
  // What loss leaves of a day.
  [['online'], ['paper area', 'surface area']],
];

/** What nothing has to be told by. */
const DECORATION: Record<string, string> = {
  line: 'between sections, which have headings',
  hair: 'between rows, which have room',
  mute: 'decoration',
  track: 'the unfilled part of a bar, which the filled one tells',
  coast: 'the map: where land ends',
  border: 'the map: where countries end, which have names',
  graticule: 'the map: its grid',
  river: 'the map: water on land',
  glow: 'the map: density, which the rings tell',
  halo: 'the globe: air around it',
};

const pairs = (uses: [string[], string[]][]) =>
  uses.flatMap(([fronts, grounds]) =>
    fronts.flatMap((front) => grounds.map((ground) => [front, ground] as const)),
  );

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  const measured = ([front, ground]: readonly [string, string]) => {
    const below = layered(ground, theme);
    return {
      pair: `${front} on ${ground}`,
      contrast: contrast(layered(`${ground} ${front}`, theme), below),
    };
  };

  test('text can be read', () => {
    const weak = pairs(TEXT).map(measured);
    expect(weak.filter((pair) => pair.contrast < 4.5)).toEqual([]);
  });

  test('shapes can be seen', () => {
    const weak = pairs(SHAPES).map(measured);
    expect(weak.filter((pair) => pair.contrast < 3)).toEqual([]);
  });
});

test('every colour is measured, or says why it needn’t be', () => {
  const seen = new Set(
    pairs([...TEXT, ...SHAPES]).flatMap(([front, ground]) => [front, ...ground.split(' ')]),
  );
  const missing = [...TOKENS.keys()].filter((name) => !seen.has(name) && !(name in DECORATION));
  expect(missing).toEqual([]);
});
