import { nodeFeed } from '#app/features/feeds/node-feed.server.ts';
import { feedFile } from '#app/lib/atom.server.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /nodes/:id/feed.atom: when a node went offline and came back. */
const { loader, action } = endpoint({
  file: async ({ context, params }) =>
    feedFile(context, await nodeFeed(context, params['id'] ?? '')),
});
export { loader, action };
