import { redirect, type ActionFunctionArgs, type LoaderFunctionArgs } from '@remix-run/node';
import { NODE_ID_PATTERN } from '@mesh-registry/protocol/values.schema.ts';
import { readDay } from '#server/audit/history.schema.ts';
import { searchText } from '#server/common/search-text.schema.ts';
import type { Api } from '#server/entry/trpc/router.ts';
import { MATCH_MAX } from '#server/nodes/removal.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { formValues, runIntent } from '#app/lib/form-action.server.ts';
import { handleReviewForm, redirectAfter, requireReviewer } from '../review.server.ts';

/** GET /review/nodes: blocked nodes, the keys of the node that the URL names, and the nodes that would be removed. */
export async function loadNodes(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const { searchParams } = new URL(args.request.url);
  const { nodes } = args.context.api.review;
  const node = searchText(searchParams.get('node'), MATCH_MAX);
  return {
    updatedAt: new Date().toISOString(),
    /** The id to fill in, from a link on another page; may be empty. */
    node,
    /** Its keys; null if it is none. */
    keys: NODE_ID_PATTERN.test(node) ? await loadKeys(args, node) : null,
    blocked: await nodes.blocked(),
    removal: await loadRemoval(nodes, searchParams),
  };
}

/** The keys of a node, and the whole links that a reset has made. */
async function loadKeys({ context }: LoaderFunctionArgs, nodeId: string) {
  const { renewed, ...keys } = await context.api.review.nodes.keys({ nodeId });
  return {
    ...keys,
    renewed: renewed.map(({ secretId, ...row }) => ({
      ...row,
      url: context.origin() + hrefs.registration(secretId),
    })),
  };
}

/** What the URL of the page says about nodes to remove. Unknown values count as absent, because people edit URLs. */
async function loadRemoval(nodes: Api['review']['nodes'], query: URLSearchParams) {
  const filter = {
    match: searchText(query.get('match'), MATCH_MAX),
    silentSince: readDay(searchText(query.get('silent'), MATCH_MAX)),
  };
  const removed = query.get('removed') ?? '';
  return {
    filter,
    /** What matches; null without a filter. */
    found: filter.match || filter.silentSince ? await nodes.removable(filter) : null,
    /** How many nodes have just been removed; null where none were. */
    removed: /^\d{1,9}$/.test(removed) ? Number(removed) : null,
  };
}

/** POST /review/nodes: blocks a node or unblocks it, revokes a key of it or pins it to one, or removes several. */
export function changeNodes(args: ActionFunctionArgs) {
  const { nodes } = args.context.api.review;
  return handleReviewForm(args, (form) => {
    const values = formValues(form);
    const {
      nodeId = '',
      key = '',
      reason = '',
      match = '',
      silentSince = '',
      expected = '',
    } = values;
    const keys = hrefs.review.nodes({ node: nodeId });
    return runIntent(form, {
      block: () => redirectAfter(nodes.block({ nodeId, reason }), hrefs.review.nodes()),
      unblock: () => redirectAfter(nodes.unblock({ nodeId, reason }), hrefs.review.nodes()),
      'reset-key': () => redirectAfter(nodes.resetKey({ nodeId, reason }), keys),
      'revoke-key': () => redirectAfter(nodes.resetKey({ nodeId, key, reason }), keys),
      'pin-key': () => redirectAfter(nodes.pinKey({ nodeId, key, reason }), keys),
      async remove() {
        const { removed } = await nodes.remove({ match, silentSince, expected, reason });
        return redirect(hrefs.review.nodes({ removed: String(removed) }), 303);
      },
    });
  });
}
