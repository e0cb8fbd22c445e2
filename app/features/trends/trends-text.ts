import { NODE_CLASSES, type NodeClass } from '@mesh-registry/protocol/values.schema.ts';
import type { TrendDay } from '#server/uptime/index.ts';
import { counted, percent, regionInWords } from '#app/lib/formatters.ts';
import { lastKnown, type Values } from '#app/ui/chart-scale.ts';
import { compared, daysAgo } from '#app/ui/chart-text.ts';

/** What the charts of /trends say: findings, computed from the days. With too little data they are plain nouns. */

/** "77.4% online, 3.1 points more than 90 days ago". Both as shares from 0 to 1. */
export function onlineFinding(shares: Values, before: number | null): string {
  const change = compared(shares, before);
  if (!change) return 'States';
  const points = Math.round((change.now - change.then) * 1000) / 10;
  const text = `${percent(change.now)} online`;
  if (points === 0) return `${text}, as ${daysAgo(change.days)}`;
  const by = Math.abs(points);
  return `${text}, ${by} ${by === 1 ? 'point' : 'points'} ${points > 0 ? 'more' : 'less'} than ${daysAgo(change.days)}`;
}

export const regionLabel = (code: string) => (code === 'ZZ' ? 'Unknown' : regionInWords(code));

/** "Europe grew most". @param regions with their changes, null where that isn't known */
export function regionFinding(regions: readonly { name: string; change: number | null }[]): string {
  const best = [...regions].sort((a, b) => (b.change ?? 0) - (a.change ?? 0));
  const [most, second] = best;
  return most?.change && most.change > 0 && most.change > (second?.change ?? 0)
    ? `${most.name} grew most`
    : 'Regions';
}

const CLASS_NAME: Record<NodeClass, string> = { S: 'small', M: 'medium', L: 'large' };
export const className = (size: NodeClass) => CLASS_NAME[size];

/** Shares that have a simple name, each with how near a share must be. */
const SIMPLE = [
  [1 / 2, 'Half of all nodes'],
  [2 / 3, 'Two of three nodes'],
  [3 / 4, 'Three of four nodes'],
  [4 / 5, 'Four of five nodes'],
  [9 / 10, 'Nine of ten nodes'],
] as const;
const NEAR = 0.025;

/** "Two of three nodes are small". */
export function classFinding(sizes: Record<NodeClass, number> | null): string {
  if (!sizes) return 'Classes';
  const all = NODE_CLASSES.reduce((sum, size) => sum + sizes[size], 0);
  const [most] = [...NODE_CLASSES].sort((a, b) => sizes[b] - sizes[a]);
  if (all === 0 || most === undefined) return 'Classes';
  const share = sizes[most] / all;
  if (share === 1)
    return all === 1 ? `The node is ${className(most)}` : `All nodes are ${className(most)}`;
  const near = SIMPLE.find(([simple]) => Math.abs(simple - share) <= NEAR);
  if (near) return `${near[1]} are ${className(most)}`;
  return share > 0.5 ? `Most nodes are ${className(most)}` : 'Classes';
}

/** "511 free slots in 184 offers". */
export function slotsFinding(slots: Values, offers: Values): string {
  const [free, listed] = [lastKnown(slots), lastKnown(offers)];
  if (!free) return 'Free slots';
  const text = counted(free.value, 'free slot');
  return listed ? `${text} in ${counted(listed.value, 'offer')}` : text;
}

/** "231 active names". */
export function namesFinding(names: Values): string {
  const last = lastKnown(names);
  return last ? counted(last.value, 'active name') : 'Names';
}

/** A state's share of a day's nodes, from 0 to 1; null: not measured, or there were none. */
export const shareOf = (day: TrendDay, status: 'online' | 'syncing' | 'idle' | 'offline') =>
  day.nodes === null || day[status] === null || day.nodes === 0
    ? null
    : Math.min(1, (day[status] ?? 0) / day.nodes);
