import { nameCard } from '#app/features/registry/card.server.ts';
import { file } from '#app/lib/rest-endpoint.server.ts';

/** GET /registry/:name/card.png: a picture of a name that other sites show beside a link to its page. */
const { loader, action } = file(({ context, request, params }) =>
  nameCard(context, request, params['name'] ?? ''),
);
export { loader, action };
