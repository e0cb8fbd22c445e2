import type { OfferNodes } from '#server/nodes/index.ts';
import type { NodeOf } from './directory-query.ts';

/** Region and uptime of the nodes behind some offers, as `computes.nodes` of the typed API sends them. */
export const nodesOf = (offers: { nodeId: string }[], nodeOf: NodeOf): OfferNodes =>
  Object.fromEntries(
    offers.map(({ nodeId }) => {
      const { region, uptime } = nodeOf(nodeId);
      return [nodeId, [region, uptime]];
    }),
  );
