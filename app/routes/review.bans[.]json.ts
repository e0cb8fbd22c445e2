import type { ProposedBans } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { download } from '#app/features/review/review.server.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /review/bans.json: the blocked nodes as bans for the next truth, for `mesh-agent truth draft truth --bans`. */
const { loader, action } = endpoint({
  file: ({ context }) =>
    download(context, 'application/json', 'bans.json', () => {
      const bans = context.services.nodes.proposedBans();
      const proposed: ProposedBans = { service: context.origin(), ...bans };
      return `${JSON.stringify(proposed, null, 2)}\n`;
    }),
  private: true,
});
export { loader, action };
