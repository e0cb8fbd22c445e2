import { nameCard, prepareCard } from '#app/features/registry/card.server.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /registry/:name/card.png: a picture of a name that other sites show beside a link to its page. */
const { loader, action } = endpoint({
  file: ({ request, context, params }) => nameCard(context, params['name'] ?? '', request.signal),
  prepare: prepareCard,
});
export { loader, action };
