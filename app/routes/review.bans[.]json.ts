import type { RequestContext } from '#server/entry/context.ts';
import type { ProposedBans } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /review/bans.json: the blocked nodes as bans for the next truth, for `mesh-agent truth draft truth --bans`. */
async function download(context: RequestContext): Promise<Response> {
  // Answers 401 instead of redirecting to sign in as a page does: a browser would save that page as the file.
  await context.requireReviewer();
  const proposed: ProposedBans = {
    service: context.origin(),
    ...context.services.nodes.proposedBans(),
  };
  return new Response(`${JSON.stringify(proposed, null, 2)}\n`, {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="bans.json"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'x-request-id': context.requestId,
    },
  });
}

const { loader, action } = endpoint({
  file: ({ context }) => download(context),
  reviewersOnly: true,
});
export { loader, action };
