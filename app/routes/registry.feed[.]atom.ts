import { newNamesFeed } from '#app/features/feeds/name-feeds.server.ts';
import { answerFeed } from '#app/lib/atom.server.ts';
import { file } from '#app/lib/rest-endpoint.server.ts';

/** GET /registry/feed.atom: new names. */
const { loader, action } = file(({ request, context }) =>
  answerFeed(request, context, newNamesFeed(context)),
);
export { loader, action };
