import { newNamesFeed } from '#app/features/feeds/name-feeds.server.ts';
import { feedFile } from '#app/lib/atom.server.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /registry/feed.atom: new names. */
const { loader, action } = endpoint({
  file: ({ context }) => feedFile(context, newNamesFeed(context)),
});
export { loader, action };
