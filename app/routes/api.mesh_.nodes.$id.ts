import { endpoint } from '#app/lib/rest.server.ts';

/**
 * DELETE /api/mesh/nodes/:id: its operator takes a node off the map, for good by the signature of its key, and for as
 * long as it is silent by the network's secret alone.
 */
const { loader, action } = endpoint({
  DELETE: {
    allow({ requireCredential, limits, client }) {
      requireCredential();
      limits.countLookup(client());
    },
    async handle({ services, actionSigner, limits, client }, { request, params: { id = '' } }) {
      const signer = await actionSigner(request, null, id);
      if (!services.identity.pinOf(id)) limits.countHiding(client());
      return services.nodes.remove(id, signer);
    },
  },
});
export { loader, action };
