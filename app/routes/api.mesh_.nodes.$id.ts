import { endpoint } from '#app/lib/rest.server.ts';

/** DELETE /api/mesh/nodes/:id: its operator takes a node off the map. */
const { loader, action } = endpoint({
  DELETE: {
    async allow({ requireCredential, limits, client }) {
      await requireCredential();
      await limits.countLookup(client());
    },
    async handle({ services, nodeSigner }, { request, params: { id = '' } }) {
      await nodeSigner(request, null, { nodeId: id });
      await services.nodes.remove(id);
    },
  },
});
export { loader, action };
