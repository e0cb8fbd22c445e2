import { api } from '#app/lib/rest-endpoint.server.ts';

/** DELETE /api/mesh/nodes/:id: its operator takes a node off the map. */
const { loader, action } = api({
  DELETE: {
    async allow({ requireCredential, limits, client }) {
      await requireCredential();
      await limits.lookup(client());
    },
    handle: ({ services }, { params }) => services.removal.remove(params['id'] ?? ''),
  },
});
export { loader, action };
