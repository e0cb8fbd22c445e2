import type { ServiceContext } from '#server/context.ts';
import { pinOf } from '#server/identity/index.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import type { ProposedBans } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { blockedNow } from './blocked.ts';

/**
 * The blocked nodes as bans for the network's next truth. Peers know each other by their keys, so only a node that is
 * pinned to a key can be banned. What reviewers wrote stays here: a ban and its reason are public.
 */
export function proposedBans(context: ServiceContext): Omit<ProposedBans, 'service'> {
  const bans: ProposedBans['bans'] = [];
  const notBannable: ProposedBans['notBannable'] = [];
  for (const { id: nodeId, blockedAt } of blockedNow(context)) {
    const since = blockedAt.toISOString();
    const pin = pinOf(context, nodeId);
    if (pin) bans.push({ nodeId, peer: peerIdOfKey(pin.key), reason: '', since, until: null });
    else
      notBannable.push({
        nodeId,
        since,
        why: 'It is pinned to no key, so its peer ID is not known.',
      });
  }
  return { exportedAt: new Date(context.clock()).toISOString(), bans, notBannable };
}
