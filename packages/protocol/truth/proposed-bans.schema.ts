import { z } from 'zod';
import { Ban, Time } from './truth.schema.ts';

const NodeId = z.string('must be a string').max(64, 'must be at most 64 characters');

/**
 * The nodes that a registry's reviewers have blocked, as bans for the next truth: a proposal, which the holders of the
 * truth's keys look through, complete and sign. The dashboard exports it, `mesh-agent truth draft` takes it.
 */
export const ProposedBans = z.object({
  /** Address of the service. */
  service: z.string('must be a string'),
  exportedAt: Time,
  /** `reason` is empty: what reviewers write is not public. `peer` is the id of the key that the node is pinned to. */
  bans: z.array(Ban.extend({ nodeId: NodeId }), 'must be a list'),
  /** Blocked nodes without a peer id. */
  notBannable: z.array(
    z.object({ nodeId: NodeId, since: Time, why: z.string() }),
    'must be a list',
  ),
});
export type ProposedBans = z.infer<typeof ProposedBans>;
