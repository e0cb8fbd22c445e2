import { nameFeed } from '#app/features/feeds/name-feeds.server.ts';
import { feedFile } from '#app/lib/atom.server.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /registry/:name/feed.atom: what happened to a name, and to its node. */
const { loader, action } = endpoint({
  file: async ({ context, params }) =>
    feedFile(context, await nameFeed(context, params['name'] ?? '')),
});
export { loader, action };
