import type { PeerStatus, SessionStatus } from '@mesh-registry/peer/base/status.ts';
import { duration, since } from '../run/clock.ts';
import type { Line, Style } from '../terminal/io.ts';
import { printable } from '../terminal/printable.ts';

/** What people read of a running peer process. Whatever another peer has said is cleaned before it is printed. */

/** It opens its files, or waiting for its port: then `fault` says so. */
export interface StartingPeer {
  starting: true;
  fault: string | null;
}

/** What a peer process answers on its socket. */
export type PeerAnswer = PeerStatus | StartingPeer;

export const isStatus = (answer: unknown): answer is PeerStatus =>
  typeof answer === 'object' && answer !== null && 'sessions' in answer;

/** What to know of the peer at a glance. @param now milliseconds since 1970 */
export function summaryLines(status: PeerStatus, style: Style, now: number): Line[] {
  const { peer, network, startedAt, root, alarms } = status;
  return [
    ['Peer', `${peer}, running for ${since(startedAt, now)}`],
    ['Network', network],
    ['Peers', peersText(status, style)],
    ['Truth', truthText(status, style, now)],
    ['Root', `version ${root.version}, ${expiryText(root.expires, style, now)}`],
    ['Log', logText(status, style)],
    ['Refusals', countsText(Object.entries(status.refusals)) || 'none'],
    ...refusedBy(status, style),
    ...alarms.map(({ kind, at, detail }): Line => {
      const text = `${kind}, ${since(at, now)} ago: ${printable(detail)}`;
      return ['Alarm', style('red', text)];
    }),
  ];
}

/** Whoever is full now has room later; any other reason is ours to mend. */
function refusedBy({ refusedBy }: PeerStatus, style: Style): Line[] {
  const reasons = Object.entries(refusedBy);
  if (reasons.length === 0) return [];
  const peers = reasons.reduce((sum, [, count]) => sum + count, 0);
  const text = `by ${peers} ${peers === 1 ? 'peer' : 'peers'}: ${countsText(reasons)}`;
  return [['Refused', reasons.some(([code]) => code !== 'busy') ? style('yellow', text) : text]];
}

/** `busy 3, banned 1`, the most frequent first. */
const countsText = (counts: [reason: string, count: number][]): string =>
  counts
    .sort(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${printable(reason)} ${count}`)
    .join(', ');

function peersText({ sessions, known, genesis }: PeerStatus, style: Style): string {
  const outbound = sessions.filter(({ direction }) => direction === 'outbound').length;
  const count = `${sessions.length} connected (${outbound} outbound, ${sessions.length - outbound} inbound)`;
  const bootstrap =
    genesis.configured === 0
      ? 'without Genesis'
      : genesis.connected === genesis.configured
        ? 'Genesis connected'
        : `Genesis ${genesis.connected} of ${genesis.configured} connected`;
  return `${sessions.length === 0 ? style('yellow', count) : count}, ${known} known, ${bootstrap}`;
}

function truthText({ truth, stale }: PeerStatus, style: Style, now: number): string {
  if (!truth) return style('yellow', 'none yet');
  const { version, issued, expires, bans } = truth;
  const text = `version ${version}, signed ${since(issued, now)} ago, ${expiryText(expires, style, now)}, ${bans} ${bans === 1 ? 'ban' : 'bans'}`;
  return stale ? `${text}, ${style('yellow', 'stale')}` : text;
}

function logText({ log: { height, id, contradicted } }: PeerStatus, style: Style): string {
  if (height === 0) return 'no block yet';
  const text = `height ${height}, ${id.slice(0, 16)}…`;
  return contradicted
    ? `${text}, ${style('red', 'contradicts the truth: it will be replaced once a peer sends the right one')}`
    : text;
}

function expiryText(expires: string, style: Style, now: number): string {
  const left = Date.parse(expires) - now;
  return left > 0 ? `expires in ${duration(left)}` : style('red', `expired ${duration(-left)} ago`);
}

/** A column of the table of sessions. */
interface Column {
  head: string;
  width: number;
  left?: boolean;
  /** The first ones are shown in a narrow terminal as well. */
  rank: number;
  text: (session: SessionStatus, now: number) => string;
}

const COLUMNS: readonly Column[] = [
  { head: 'peer', width: 9, left: true, rank: 1, text: ({ peer }) => shortPeer(peer) },
  {
    head: '',
    width: 3,
    left: true,
    rank: 2,
    text: ({ direction }) => direction.replace('bound', ''),
  },
  { head: 'rtt min', width: 8, rank: 3, text: ({ rtt }) => milliseconds(rtt?.min) },
  { head: 'smoothed', width: 8, rank: 7, text: ({ rtt }) => milliseconds(rtt?.smoothed) },
  { head: 'jitter', width: 8, rank: 4, text: ({ rtt }) => milliseconds(rtt?.jitter) },
  { head: 'truth', width: 6, rank: 5, text: ({ truth }) => String(truth) },
  { head: 'height', width: 7, rank: 6, text: ({ height }) => String(height) },
  { head: 'since', width: 13, rank: 8, text: ({ since: from }, now) => since(from, now) },
  { head: 'program', width: 20, left: true, rank: 9, text: ({ agent }) => printable(agent) },
];
const GAP = '  ';

/**
 * The sessions as a table, nearest peers first, with a head.
 * @param width characters; columns that do not fit are left out
 * @param now milliseconds since 1970
 */
export function sessionTable(
  sessions: readonly SessionStatus[],
  width: number,
  now: number,
): string[] {
  const columns = fitting(width);
  const row = (cellOf: (column: Column) => string) =>
    columns
      .map((column) => {
        const cell = cellOf(column);
        const { width: size, left } = column;
        const cut = cell.length > size ? `${cell.slice(0, size - 1)}…` : cell;
        return left ? cut.padEnd(size) : cut.padStart(size);
      })
      .join(GAP)
      .trimEnd();
  const distance = ({ rtt }: SessionStatus) => rtt?.min ?? Infinity;
  const nearest = [...sessions].sort((one, other) => distance(one) - distance(other) || 0);
  return [
    row(({ head }) => head),
    ...nearest.map((session) => row(({ text }) => text(session, now))),
  ];
}

function fitting(width: number): Column[] {
  let left = width + GAP.length;
  const shown = [...COLUMNS]
    .sort((one, other) => one.rank - other.rank)
    .filter((column) => (left -= column.width + GAP.length) >= 0);
  return COLUMNS.filter((column) => shown.includes(column));
}

/** All ids begin alike: the end tells them apart. */
export const shortPeer = (peer: string): string => `…${peer.slice(-8)}`;

/** `0.42 ms`, `12.3 ms`, `310 ms`; a dash for none. */
export function milliseconds(value: number | undefined): string {
  if (value === undefined) return '–';
  return `${value.toFixed(value < 1 ? 2 : value < 100 ? 1 : 0)} ms`;
}
