import type { LocalMap } from '#server/drawing/index.ts';
import type { ComputeStatus, PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { UptimeStrip } from '#server/uptime/index.ts';
import { FONT, isDrawable } from '#server/drawing/picture.schema.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import {
  bars,
  offlineMark,
  onlineBar,
  STRIP_HEIGHT,
  unmeasuredMark,
} from '#app/features/uptime/uptime-bars.ts';
import { WINDOW_LABEL } from '#app/features/uptime/uptime-text.ts';
import { percent, regionName } from '#app/lib/formatters.ts';
import { escapeXml } from '#app/lib/xml.ts';
import { KIND_LABEL, KIND_PATH } from '#app/ui/kind-shapes.ts';
import { statusShape, STROKE } from '#app/ui/status-shapes.ts';
import { CARD, textWidth } from './badge.ts';

/** The colours of the dark theme. Sites show a card on light and dark pages alike. */
const COLOUR = {
  paper: '#0d1117',
  land: '#1b2430',
  coast: '#3a4757',
  ink: '#e8ebee',
  secondary: '#a4adb8',
  line: '#2a323d',
  online: '#3fd0b6',
  available: '#3fd0b6',
  syncing: '#7db0ff',
  idle: '#f0b35a',
  busy: '#f0b35a',
  offline: '#8a939e',
  danger: '#ff8f85',
} as const;

const LEFT = 72;
const WIDTH = CARD.width - 2 * LEFT;
/** Font sizes of the name, px: it is as large as fits. */
const [NAME_MAX, NAME_MIN] = [108, 34];
/** Longest label, characters. */
const LABEL_MAX = 44;

export interface CardContent {
  /** Its name. */
  network: string;
  entry: RegistryEntry;
  /** What is around the node; null if its place isn't known. */
  map: LocalMap | null;
  /** The uptime of the node; null if it isn't known. */
  strip: UptimeStrip | null;
}

/** The card of a name as SVG, for a picture. */
export function cardSvg({ network, entry, map, strip }: CardContent): string {
  const { name, label, region } = entry;
  const size = Math.min(NAME_MAX, Math.max(NAME_MIN, Math.floor(WIDTH / textWidth(name))));
  const subtitle = label !== name && isDrawable(label) ? shortened(label) : '';
  const place = region === 'ZZ' ? '' : (regionName(region) ?? region);
  const facts = entry.kinds.map((kind) => ({ path: KIND_PATH[kind], word: KIND_LABEL[kind] }));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD.width}" height="${CARD.height}" font-family="${FONT}">`,
    DEFINITIONS,
    rectangle(COLOUR.paper),
    map ? background(map, markerColour(entry)) : emblem(entry),
    rectangle('url(#fade)'),
    rectangle('url(#floor)'),
    brand(network),
    write(name, { x: LEFT, y: 250, size, weight: 600 }),
    subtitle && write(subtitle, { x: LEFT, y: 306, size: 34, colour: COLOUR.secondary }),
    ...statuses(entry),
    ...row([...facts, ...(place ? [{ path: null, word: place }] : [])], strip ? 462 : 476),
    strip && uptime(strip),
    '</svg>',
  ]
    .filter(Boolean)
    .join('');
}

const DEFINITIONS =
  `<linearGradient id="fade"><stop offset=".3" stop-color="${COLOUR.paper}"/>` +
  `<stop offset=".78" stop-color="${COLOUR.paper}" stop-opacity="0"/></linearGradient>` +
  `<linearGradient id="floor" x2="0" y2="1"><stop offset=".55" stop-color="${COLOUR.paper}" stop-opacity="0"/>` +
  `<stop offset=".82" stop-color="${COLOUR.paper}"/></linearGradient>`;

const rectangle = (fill: string) =>
  `<rect width="${CARD.width}" height="${CARD.height}" fill="${fill}"/>`;

interface TextStyle {
  x: number;
  y: number;
  size: number;
  weight?: number;
  colour?: string;
  anchor?: 'end';
}

const write = (
  text: string,
  { x, y, size, weight = 400, colour = COLOUR.ink, anchor }: TextStyle,
) =>
  `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${colour}"${anchor ? ` text-anchor="${anchor}"` : ''}>${escapeXml(text)}</text>`;

/** The service's mark and name. */
const brand = (network: string) =>
  `<g transform="translate(${LEFT} 56) scale(1.375)"><rect width="32" height="32" rx="8" fill="#0b5cad"/>` +
  `<g stroke="#fff" stroke-width="2.2" fill="#fff"><path d="M16 17 8.5 10M16 17l7.5-7M16 17v7.5" fill="none"/>` +
  `<circle cx="16" cy="17" r="2.4"/><circle cx="8.5" cy="9.5" r="2.6"/><circle cx="23.5" cy="9.5" r="2.6"/>` +
  `<circle cx="16" cy="25" r="2.6"/></g></g>` +
  write(isDrawable(network) ? shortened(network) : 'Mesh Registry', {
    x: LEFT + 60,
    y: 88,
    size: 30,
    weight: 600,
  });

function markerColour({ node, compute }: RegistryEntry): string {
  return COLOUR[node?.status ?? compute?.status ?? 'offline'];
}

/** Stands where the map would, if the node’s place isn’t known. */
const emblem = ({ kinds: [kind = 'node'] }: RegistryEntry) =>
  `<path transform="translate(985 215) scale(25)" d="${KIND_PATH[kind]}" fill="none" stroke="${COLOUR.land}" stroke-width=".35" stroke-linejoin="round"/>`;

function background({ land, borders, x, y }: LocalMap, colour: string): string {
  return (
    `<path d="${land}" fill="${COLOUR.land}" stroke="${COLOUR.coast}"/>` +
    `<path d="${borders}" fill="none" stroke="${COLOUR.coast}" stroke-dasharray="4 3"/>` +
    `<g transform="translate(${x} ${y})" fill="${colour}">` +
    `<circle r="64" opacity=".1"/><circle r="34" opacity=".18"/>` +
    `<circle r="34" fill="none" stroke="${colour}" stroke-width="2.5"/><circle r="11"/></g>`
  );
}

/** The state of the node, of the compute offer, or of both: of what the name is registered for. */
function statuses({ kinds, node, compute }: RegistryEntry): string[] {
  const shown = [
    ...(kinds.includes('node') ? [{ status: node?.status, or: 'not heard from yet' }] : []),
    ...(kinds.includes('compute') ? [{ status: compute?.status, or: 'not announced yet' }] : []),
  ];
  let x = LEFT;
  return shown.map(({ status, or }) => {
    const word = status ?? or;
    const colour = COLOUR[status ?? 'secondary'];
    const start = status ? x + 48 : x;
    const text = write(word, { x: start, y: 398, size: 42, weight: 600, colour });
    const icon = status ? statusIcon(status, x + 16) : '';
    x = start + 42 * textWidth(word) + 28;
    return icon + text;
  });
}

function statusIcon(status: PeerStatus | ComputeStatus, x: number): string {
  const { fill, stroke } = statusShape(status, 7.5);
  const colour = COLOUR[status];
  return (
    `<g transform="translate(${x} 384) scale(2.1)">` +
    (fill ? `<path d="${fill}" fill="${colour}"/>` : '') +
    (stroke
      ? `<path d="${stroke}" fill="none" stroke="${colour}" stroke-width="${STROKE}" stroke-linecap="round"/>`
      : '') +
    '</g>'
  );
}

/** The kinds of the name, and the region. */
function row(facts: { path: string | null; word: string }[], y: number): string[] {
  let x = LEFT;
  return facts.map(({ path, word }) => {
    const icon = path
      ? `<path transform="translate(${x + 14} ${y - 9}) scale(1.75)" d="${path}" fill="none" stroke="${COLOUR.secondary}" stroke-width="1.3" stroke-linejoin="round"/>`
      : '';
    const start = x + (path ? 40 : 0);
    x = start + 28 * textWidth(word) + 20;
    return icon + write(word, { x: start, y, size: 28, colour: COLOUR.secondary });
  });
}

function uptime({ window, uptime, cells }: UptimeStrip): string {
  const share = uptime === null ? '' : percent(uptime);
  const path = (colour: string, d: string) => d && `<path d="${d}" fill="${colour}"/>`;
  return (
    write(`Uptime, last ${WINDOW_LABEL[window]}`, {
      x: LEFT,
      y: 520,
      size: 24,
      colour: COLOUR.secondary,
    }) +
    write(share, { x: LEFT + WIDTH, y: 520, size: 30, weight: 600, anchor: 'end' }) +
    `<g transform="translate(${LEFT} 538) scale(${WIDTH / cells.length} ${44 / STRIP_HEIGHT})">` +
    path(COLOUR.online, bars(cells, onlineBar)) +
    path(COLOUR.danger, bars(cells, offlineMark)) +
    path(COLOUR.offline, bars(cells, unmeasuredMark)) +
    '</g>'
  );
}

const shortened = (text: string) =>
  [...text].length > LABEL_MAX
    ? `${[...text]
        .slice(0, LABEL_MAX - 1)
        .join('')
        .trim()}…`
    : text;
