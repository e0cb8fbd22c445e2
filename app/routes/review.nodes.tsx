import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { searchText } from '#server/common/search-text.schema.ts';
import { MATCH_MAX } from '#server/nodes/removal.schema.ts';
import { loadRemoval } from '#app/features/review/nodes/removal.server.ts';
import { NodesPage } from '#app/features/review/nodes/nodes-page.tsx';
import { handleReviewForm, requireReviewer } from '#app/features/review/review.server.ts';
import { formValues, unknownIntent } from '#app/lib/form-action.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const { searchParams } = new URL(args.request.url);
  const { nodes } = args.context.api.review;
  const node = searchText(searchParams.get('node'), MATCH_MAX);
  return {
    updatedAt: new Date().toISOString(),
    node,
    pinned: node === '' ? null : await nodes.key({ nodeId: node }),
    blocked: await nodes.blocked(),
    removal: await loadRemoval(nodes, searchParams),
  };
}
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';

export function action(args: ActionFunctionArgs) {
  const { nodes } = args.context.api.review;
  return handleReviewForm(args, async (form) => {
    const { intent, nodeId = '', reason = '' } = formValues(form);
    if (intent === 'block') await nodes.block({ nodeId, reason });
    else if (intent === 'unblock') await nodes.unblock({ nodeId, reason });
    else if (intent === 'reset-key') {
      await nodes.resetKey({ nodeId, reason });
      return redirect(`/review/nodes?node=${encodeURIComponent(nodeId)}`, 303);
    } else if (intent === 'remove') {
      const { match = '', silentSince = '', expected = '' } = formValues(form);
      const { removed } = await nodes.remove({ match, silentSince, expected, reason });
      return redirect(`/review/nodes?removed=${removed}`, 303);
    } else throw unknownIntent();
    return redirect('/review/nodes', 303);
  });
}

export const meta: MetaFunction = () => [{ title: 'Nodes · Mesh Registry' }];

export default function Nodes() {
  return <NodesPage list={useLoaderData<typeof loader>()} />;
}
