import type { RegistryEntry } from '#server/registry/registry.schema.ts';
import { capacity } from '#app/lib/formatters.ts';
import { escapeXml } from '#app/lib/xml.ts';

/** The badge of a name: an image for other sites, without a script, a style or a font of its own. */

/** White on each of these has a contrast of at least 4.5. */
const COLOUR = {
  online: '#0f766e',
  syncing: '#2563c9',
  idle: '#a15c07',
  offline: '#656c75',
} as const;
const NAME_COLOUR = '#343b44';

export interface BadgeState {
  text: string;
  colour: keyof typeof COLOUR;
}

/**
 * The text of a name's badge: the state of its compute offer while that is online, which also proves that its
 * host is; otherwise the state of its node.
 */
export function badgeState(entry: RegistryEntry | null): BadgeState {
  if (!entry) return { text: 'not registered', colour: 'offline' };
  const { node, compute } = entry;
  if (compute?.status === 'available') return { text: capacity(compute), colour: 'online' };
  if (compute?.status === 'busy') return { text: 'busy', colour: 'idle' };
  const status = node?.status ?? 'offline';
  return { text: status, colour: status };
}

/** The badge with a link to the page of its name, for a README. `name`: a valid one, which needs no quoting. */
export const badgeMarkdown = (origin: string, name: string) =>
  `[![${badgeAlt(name)}](${origin}/registry/${name}/badge.svg)](${origin}/registry/${name})`;

export const badgeAlt = (name: string) => `${name} in the Mesh Registry`;

/**
 * Advance widths in Verdana, the widest of the usual fonts, in 2048ths of the font size. The image fixes
 * the length of its texts, so that another font is spaced to the same width.
 */
const ADVANCE: Record<string, number> = {
  ...Object.fromEntries([...'0123456789_'].map((character) => [character, 1302])),
  ...{ ' ': 720, '-': 930, ',': 745 },
  ...{ a: 1230, b: 1276, c: 1067, d: 1276, e: 1220, f: 720, g: 1276, h: 1296, i: 562 },
  ...{ j: 705, k: 1212, l: 562, m: 1992, n: 1296, o: 1243, p: 1276, q: 1276, r: 874 },
  ...{ s: 1067, t: 807, u: 1296, v: 1212, w: 1676, x: 1212, y: 1212, z: 1076 },
};
/** Of a character that is not in the table: as wide as the widest. */
const WIDEST = 1992;
/** Font size, px. */
const SIZE = 11;
/** Room on either side of a text, px. */
const PADDING = 6;
const HEIGHT = 20;

function widthOf(text: string): number {
  const units = [...text].reduce((sum, character) => sum + (ADVANCE[character] ?? WIDEST), 0);
  return Math.ceil((units / 2048) * SIZE);
}

/** @param label the text on the left: the name */
export function badgeSvg(label: string, { text, colour }: BadgeState): string {
  const left = widthOf(label) + 2 * PADDING;
  const right = widthOf(text) + 2 * PADDING;
  const title = escapeXml(`${label}: ${text}`);
  const write = (words: string, x: number, width: number) =>
    `<text x="${x + width / 2}" y="14" textLength="${width - 2 * PADDING}">${escapeXml(words)}</text>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${title}">` +
    `<title>${title}</title>` +
    `<clipPath id="r"><rect width="${left + right}" height="${HEIGHT}" rx="4"/></clipPath>` +
    `<g clip-path="url(#r)">` +
    `<rect width="${left}" height="${HEIGHT}" fill="${NAME_COLOUR}"/>` +
    `<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${COLOUR[colour]}"/></g>` +
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="${SIZE}">` +
    `${write(label, 0, left)}${write(text, left, right)}</g></svg>`
  );
}
