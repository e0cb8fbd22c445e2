import { nameFeed } from '#app/features/feeds/name-feeds.server.ts';
import { answerFeed } from '#app/lib/atom.server.ts';
import { file } from '#app/lib/rest-endpoint.server.ts';

/** GET /registry/:name/feed.atom: what happened to a name, and to its node. */
const { loader, action } = file(async ({ request, context, params }) =>
  answerFeed(request, context, await nameFeed(context, params['name'] ?? '')),
);
export { loader, action };
