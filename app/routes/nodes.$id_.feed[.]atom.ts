import { nodeFeed } from '#app/features/feeds/node-feed.server.ts';
import { answerFeed } from '#app/lib/atom.server.ts';
import { file } from '#app/lib/rest-endpoint.server.ts';

/** GET /nodes/:id/feed.atom: when a node went offline and came back. */
const { loader, action } = file(async ({ request, context, params }) =>
  answerFeed(request, context, await nodeFeed(context, params['id'] ?? '')),
);
export { loader, action };
