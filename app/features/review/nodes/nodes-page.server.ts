import { redirect, type ActionFunctionArgs, type LoaderFunctionArgs } from '@remix-run/node';
import { readDay } from '#server/audit/history.schema.ts';
import { searchText } from '#server/common/search-text.schema.ts';
import type { Api } from '#server/entry/trpc/router.ts';
import { MATCH_MAX } from '#server/nodes/removal.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { formValues, runIntent } from '#app/lib/form-action.server.ts';
import { handleReviewForm, redirectAfter, requireReviewer } from '../review.server.ts';

/** GET /review/nodes: blocked nodes, the key of the node that the URL names, and the nodes that would be removed. */
export async function loadNodes(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const { searchParams } = new URL(args.request.url);
  const { nodes } = args.context.api.review;
  const node = searchText(searchParams.get('node'), MATCH_MAX);
  return {
    updatedAt: new Date().toISOString(),
    /** The id to fill in, from a link on another page; may be empty. */
    node,
    /** Its key; null if it has none. */
    pinned: node === '' ? null : await nodes.key({ nodeId: node }),
    blocked: await nodes.blocked(),
    removal: await loadRemoval(nodes, searchParams),
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

/** POST /review/nodes: blocks a node or unblocks it, resets its key, or removes several. */
export function changeNodes(args: ActionFunctionArgs) {
  const { nodes } = args.context.api.review;
  return handleReviewForm(args, (form) => {
    const values = formValues(form);
    const { nodeId = '', reason = '', match = '', silentSince = '', expected = '' } = values;
    return runIntent(form, {
      block: () => redirectAfter(nodes.block({ nodeId, reason }), hrefs.review.nodes()),
      unblock: () => redirectAfter(nodes.unblock({ nodeId, reason }), hrefs.review.nodes()),
      'reset-key': () =>
        redirectAfter(nodes.resetKey({ nodeId, reason }), hrefs.review.nodes({ node: nodeId })),
      async remove() {
        const { removed } = await nodes.remove({ match, silentSince, expected, reason });
        return redirect(hrefs.review.nodes({ removed: String(removed) }), 303);
      },
    });
  });
}
