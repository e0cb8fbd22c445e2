import { nameCard, prepareCard } from '#app/features/registry/card.server.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /registry/:name/card.png: a picture of a name that other sites show beside a link to its page. */
const { loader, action } = endpoint({
  file: ({ context, params }) => nameCard(context, params['name'] ?? ''),
  prepare: prepareCard,
});
export { loader, action };
