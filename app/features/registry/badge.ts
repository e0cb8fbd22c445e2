import { never } from '@mesh-registry/protocol/values.schema.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, freeSlotsText, percent } from '#app/lib/formatters.ts';
import { escapeXml } from '#app/lib/xml.ts';

/** The images of a name for other sites: its badges, without a script, a style or a font of their own, and its card. */

/** White on each of these has a contrast of at least 4.5. */
const COLOUR = {
  online: '#0f766e',
  syncing: '#2563c9',
  idle: '#a15c07',
  offline: '#656c75',
  danger: '#b3261e',
} as const;
const NAME_COLOUR = '#343b44';

export interface BadgeState {
  text: string;
  colour: keyof typeof COLOUR;
}

/** What a badge can show: `?show=` in its URL. */
export type Badge = 'status' | 'uptime' | 'slots';

/** What the left part of each badge says besides the name. */
const SUBJECT: Record<Badge, string> = {
  status: '',
  uptime: ' uptime, 30 days',
  slots: ' free slots',
};
export const BADGES = Object.keys(SUBJECT) as Badge[];

/** Reads `?show=`. Anything unknown means the status: a README must not show a broken image. */
export const badgeOf = (show: string | null): Badge =>
  BADGES.find((badge) => badge === show) ?? 'status';

export const badgeLabel = (name: string, badge: Badge) => `${name}${SUBJECT[badge]}`;

/** Shares of 30 days: offline for less than 8 hours is good, for less than two days fair. */
const GOOD = 0.99;
const FAIR = 0.94;

const NOT_REGISTERED: BadgeState = { text: 'not registered', colour: 'offline' };

/**
 * The status of a name: that of its compute offer while it is online, which also proves that its host is;
 * otherwise that of its node.
 */
export function nameStatus(entry: RegistryEntry | null): BadgeState {
  if (!entry) return NOT_REGISTERED;
  const { node, compute } = entry;
  if (compute?.status === 'available')
    return { text: freeSlotsText(compute.freeSlots), colour: 'online' };
  if (compute?.status === 'busy') return { text: 'busy', colour: 'idle' };
  const status = node?.status ?? 'offline';
  return { text: status, colour: status };
}

/**
 * What a badge of a name says.
 * @param share the uptime over the last 30 days, from 0 to 1; null if it isn't known
 */
export function badgeState(
  badge: Badge,
  entry: RegistryEntry | null,
  share: number | null,
): BadgeState {
  if (!entry) return NOT_REGISTERED;
  const { compute } = entry;
  switch (badge) {
    case 'status':
      return nameStatus(entry);
    case 'uptime': {
      if (share === null) return { text: 'no data yet', colour: 'offline' };
      const colour = share >= GOOD ? 'online' : share >= FAIR ? 'idle' : 'danger';
      return { text: percent(share), colour };
    }
    case 'slots':
      if (!compute) return { text: 'no compute offer', colour: 'offline' };
      if (compute.status === 'offline') return { text: 'offline', colour: 'offline' };
      return { text: count(compute.freeSlots), colour: compute.freeSlots > 0 ? 'online' : 'idle' };
    default:
      return never(badge);
  }
}

export const badgePath = (name: string, badge: Badge) =>
  `${hrefs.badge(name)}${badge === 'status' ? '' : `?show=${badge}`}`;

/** Where a name is listed, for those who see it elsewhere. */
export interface ListedIn {
  /** Scheme and host. */
  origin: string;
  /** The name of the network. */
  network: string;
}

/** A badge with a link to the page of its name, for a README. `name`: a valid one, which needs no quoting. */
export const badgeMarkdown = (
  { origin, network }: ListedIn,
  name: string,
  badge: Badge = 'status',
) =>
  `[![${badgeAlt(network, name, badge).replace(/[\\[\]]/g, '\\$&')}](${origin}${badgePath(name, badge)})](${origin}${hrefs.name(name)})`;

export const badgeHtml = ({ origin, network }: ListedIn, name: string, badge: Badge) =>
  `<a href="${origin}${hrefs.name(name)}"><img src="${origin}${badgePath(name, badge)}" alt="${escapeXml(badgeAlt(network, name, badge))}"></a>`;

const badgeAlt = (network: string, name: string, badge: Badge) =>
  `${badgeLabel(name, badge)} on ${network}`;

/**
 * Advance widths in Verdana, the widest of the usual fonts, in 2048ths of the font size. The image fixes
 * the length of its texts, so that another font is spaced to the same width.
 */
const ADVANCE: Record<string, number> = {
  ...Object.fromEntries([...'0123456789_'].map((character) => [character, 1302])),
  ...{ ' ': 720, '-': 930, ',': 745, '.': 745, '%': 2204 },
  ...{ a: 1230, b: 1276, c: 1067, d: 1276, e: 1220, f: 720, g: 1276, h: 1296, i: 562 },
  ...{ j: 705, k: 1212, l: 562, m: 1992, n: 1296, o: 1243, p: 1276, q: 1276, r: 874 },
  ...{ s: 1067, t: 807, u: 1296, v: 1212, w: 1676, x: 1212, y: 1212, z: 1076 },
};
/** The width of a character that is not in the table: that of the widest. */
const WIDEST = 1992;
/** Font size, px. */
const SIZE = 11;
/** Room on either side of a text, px. */
const PADDING = 6;
const HEIGHT = 20;

/** About how wide a text is at most, in multiples of the font size. */
export const textWidth = (text: string): number =>
  [...text].reduce((sum, character) => sum + (ADVANCE[character] ?? WIDEST), 0) / 2048;

/** @param label the text on the left */
export function badgeSvg(label: string, { text, colour }: BadgeState): string {
  const widthOf = (words: string) => Math.ceil(textWidth(words) * SIZE) + 2 * PADDING;
  const left = widthOf(label);
  const right = widthOf(text);
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

/** Width and height (px) that sites ask for in a picture beside a link. */
export const CARD = { width: 1200, height: 630 };

export const cardAlt = (network: string, entry: RegistryEntry): string =>
  `${entry.name} on ${network}: ${nameStatus(entry).text}`;
