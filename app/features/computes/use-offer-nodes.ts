import { useMemo, useState } from 'react';
import { UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import type { OfferNodes } from '#server/nodes/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { usePolling } from '#app/lib/polling.ts';
import type { NodeOf } from './directory-query.ts';

/** How often the open page asks again (ms): uptimes change every quarter of an hour, regions hardly ever. */
const EVERY_MS = 300_000;

/**
 * Region and uptime of the nodes behind the offers: those that the server rendered, then those of all.
 * @returns `complete`: those of all have been asked for, with or without success
 */
export function useOfferNodes(rendered: OfferNodes): { nodeOf: NodeOf; complete: boolean } {
  const [all, setAll] = useState<OfferNodes | null>(null);
  const [complete, setComplete] = useState(false);
  const load = async (signal: AbortSignal) => {
    try {
      const response = await fetch(hrefs.api.trpc('computes.nodes'), { signal });
      if (response.ok) setAll(nodesIn(await response.json()));
    } catch {
      // Those that are known stay.
    }
    if (!signal.aborted) setComplete(true);
  };
  usePolling(load, { everyMs: EVERY_MS, immediately: true });
  const nodeOf = useMemo(() => nodeOfFrom(all ?? rendered), [all, rendered]);
  return { nodeOf, complete };
}

const nodesIn = (body: unknown): OfferNodes =>
  (body as { result: { data: { nodes: OfferNodes } } }).result.data.nodes;

/** Of a node that isn't among them nothing is known. */
function nodeOfFrom(nodes: OfferNodes): NodeOf {
  const known = new Map(Object.entries(nodes));
  return (id) => {
    const [region, uptime] = known.get(id) ?? [UNKNOWN_REGION, null];
    return { region, uptime };
  };
}
