import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { OfferNode } from '#server/nodes/index.ts';
import { freeNow } from './directory-query.ts';

/** An offer beside others. */
export interface Compared {
  offer: Compute;
  node: OfferNode;
}

/** What offers are compared by, and its value; null where it isn't known. */
export const COMPARED = {
  free: ({ offer }) => freeNow(offer),
  replicas: ({ offer }) => offer.replicas,
  uptime: ({ node }) => node.uptime,
  state: ({ offer }) => offer.status,
  image: ({ offer }) => offer.image,
  node: ({ offer }) => offer.nodeId,
  region: ({ node }) => node.region,
  class: ({ offer }) => offer.class,
  backend: ({ offer }) => offer.backend,
  visibility: ({ offer }) => offer.visibility,
  announced: ({ offer }) => offer.lastSeen,
} satisfies Record<string, (compared: Compared) => string | number | null>;
export type ComparedBy = keyof typeof COMPARED;

/** Of these more is better. */
const MORE_IS_BETTER: readonly ComparedBy[] = ['free', 'replicas', 'uptime'];

/** Whether two or more offers have the same value: then it tells nothing. */
export function isEqual(by: ComparedBy, columns: readonly Compared[]): boolean {
  const value: (column: Compared) => string | number | null = COMPARED[by];
  const values = columns.map(value);
  return values.length > 1 && values.every((value) => value === values[0]);
}

/** The number of the column with the highest value, from 0; null where more isn't better, or two share it. */
export function highest(by: ComparedBy, columns: readonly (Compared | null)[]): number | null {
  if (!MORE_IS_BETTER.includes(by)) return null;
  const values = columns.map((column) => {
    const value = column && COMPARED[by](column);
    return typeof value === 'number' ? value : null;
  });
  const known = values.filter((value) => value !== null);
  const most = Math.max(...known);
  if (known.length < 2 || known.filter((value) => value === most).length > 1) return null;
  return values.indexOf(most);
}

/**
 * The offers of now in the places of `keys`. One that is not listed any more stays, offline.
 * @param known as they were shown last, in the order of `keys`; null for one that was never listed
 * @param rows of now; null until they are loaded
 */
export function offersNow(
  keys: readonly string[],
  known: readonly (Compute | null)[],
  rows: readonly Compute[] | null,
): (Compute | null)[] {
  return keys.map((key, at) => {
    const last = known[at] ?? null;
    if (rows === null) return last;
    const now = last
      ? rows.find(({ id }) => id === last.id)
      : rows.find(({ id, name }) => id === key || name === key);
    if (now) return now;
    return last && last.status !== 'offline' ? { ...last, status: 'offline' } : last;
  });
}
