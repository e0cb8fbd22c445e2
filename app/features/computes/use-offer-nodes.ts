import { useMemo, useState } from 'react';
import { UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import type { OfferNode, OfferNodes } from '#server/nodes/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { usePolling } from '#app/lib/polling.ts';
import type { NodeOf } from './directory-query.ts';

/** How often the open page asks again (ms): uptimes change every quarter of an hour, regions hardly ever. */
const EVERY_MS = 300_000;

/**
 * Region and uptime of the nodes behind the offers: those that the server rendered, then those of all.
 * @returns `nodeOf`: the same function while it says the same, so that no row is rendered again for nothing; `complete`:
 * those of all have been asked for, with or without success
 */
export function useOfferNodes(rendered: OfferNodes): { nodeOf: NodeOf; complete: boolean } {
  const first = useMemo(() => createNodeOf(rendered), [rendered]);
  const [all, setAll] = useState<KnownNodes | null>(null);
  const [complete, setComplete] = useState(false);
  const now = all ?? first;
  const load = async (signal: AbortSignal) => {
    try {
      const response = await fetch(hrefs.api.trpc('computes.nodes'), { signal });
      if (response.ok) {
        const nodes = nodesIn(await response.json());
        setAll(now.learn(nodes) ? now : createNodeOf(nodes));
      }
    } catch {
      // Those that are known stay.
    }
    if (!signal.aborted) setComplete(true);
  };
  usePolling(load, { everyMs: EVERY_MS, immediately: true });
  return { nodeOf: now.nodeOf, complete };
}

const nodesIn = (body: unknown): OfferNodes =>
  (body as { result: { data: { nodes: OfferNodes } } }).result.data.nodes;

interface KnownNodes {
  /** Of a node that isn't among them nothing is known. */
  nodeOf: NodeOf;
  /** Takes these instead, unless something that was said would be different. */
  learn: (nodes: OfferNodes) => boolean;
}

export function createNodeOf(nodes: OfferNodes): KnownNodes {
  let known = nodes;
  const said = new Map<string, OfferNode>();
  const read = (id: string): OfferNode => {
    const [region, uptime] = (Object.hasOwn(known, id) && known[id]) || [UNKNOWN_REGION, null];
    return { region, uptime };
  };
  return {
    nodeOf(id) {
      const node = said.get(id) ?? read(id);
      said.set(id, node);
      return node;
    },
    learn(newer) {
      const before = known;
      known = newer;
      for (const [id, was] of said) {
        const { region, uptime } = read(id);
        if (region === was.region && uptime === was.uptime) continue;
        known = before;
        return false;
      }
      return true;
    },
  };
}
