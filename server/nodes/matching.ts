import { AppError } from '#server/common/errors.schema.ts';
import { recordActions, requireReason } from '#server/audit/index.ts';
import { REMOVED_AT_ONCE, type RemovalFilter } from './removal.schema.ts';
import { removeNodes, type RemovalContext } from './remove-nodes.ts';

/** Nodes that are shown before they are removed. */
const SHOWN_MAX = 20;

/** The nodes that a reviewer is about to remove. */
export interface RemovableNodes {
  /** How many match, apart from those with names. */
  total: number;
  /** How many more match, but stay because they have active names. */
  named: number;
  /** The first of them, those that were silent for the longest time first. */
  nodes: { id: string; label: string | null; lastHeard: string }[];
}

export interface RemovalRequest {
  filter: RemovalFilter;
  /** How many nodes the reviewer saw: more are not removed. */
  expected: number;
  reason: string;
  /** The reviewer's address, as the history names them. */
  reviewer: string;
}

export function removableNodes(context: RemovalContext, filter: RemovalFilter): RemovableNodes {
  const { ids, named } = matching(context, filter);
  return {
    total: ids.length,
    named,
    nodes: ids.slice(0, SHOWN_MAX).map((id) => ({
      id,
      label: context.live.peers.get(id)?.label ?? null,
      lastHeard: new Date(context.live.nodes.lastHeard(id)).toISOString(),
    })),
  };
}

/**
 * Removes the nodes that match, at most {@link REMOVED_AT_ONCE}, each with an entry in the history.
 * @returns how many
 * @throws AppError `not_found` (none matches), `invalid_state` (more than expected), `invalid_body`, `unavailable`
 */
export async function removeMatching(
  context: RemovalContext,
  { filter, expected, reason: raw, reviewer }: RemovalRequest,
  now = context.clock(),
): Promise<number> {
  const reason = requireReason(raw);
  const { ids } = matching(context, filter);
  if (ids.length === 0) throw new AppError('not_found', 'No node matches anymore.');
  if (ids.length > expected)
    throw new AppError(
      'invalid_state',
      `${ids.length} nodes match now, instead of ${expected}. Check the list again, then remove them.`,
    );
  const silentSince = filter.silentSince === '' ? undefined : Date.parse(filter.silentSince);
  return removeNodes(context, ids.slice(0, REMOVED_AT_ONCE), {
    ...(silentSince !== undefined && { silentSince }),
    alsoWrite: (tx, removed) =>
      recordActions(
        tx,
        removed.map((subject) => ({ actor: reviewer, action: 'node_removed', subject, reason })),
        now,
      ),
  });
}

/** A node whose whole id is given matches even with names; a pattern spares those that have some. */
function matching(
  context: RemovalContext,
  { match, silentSince }: RemovalFilter,
): { ids: string[]; named: number } {
  if (match === '' && silentSince === '') return { ids: [], named: 0 };
  const { live, names } = context;
  const before = silentSince === '' ? Infinity : Date.parse(silentSince);
  const fits = patternOf(match);
  const all = new Set<string>();
  for (const { id } of live.peers.rows()) all.add(id);
  for (const { nodeId } of live.computes.rows()) all.add(nodeId);
  const heard = new Map<string, number>();
  let named = 0;
  for (const id of all) {
    if (!fits(id) && !fits(live.peers.get(id)?.label ?? id)) continue;
    const last = context.live.nodes.lastHeard(id);
    if (last >= before) continue;
    if (id !== match && names.ofNode(id).size > 0) named++;
    else heard.set(id, last);
  }
  const ids = [...heard].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1)).map(([id]) => id);
  return { ids, named };
}

/**
 * Whether a text is the pattern, in which `*` stands for any text; in any case of letters. Empty: every text. Not by a
 * regular expression, whose time can grow with every `*`.
 */
export function patternOf(pattern: string): (text: string) => boolean {
  if (pattern === '') return () => true;
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const last = rest.pop();
  return (given) => {
    const text = given.toLowerCase();
    if (last === undefined) return text === first;
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}
