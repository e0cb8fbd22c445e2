import { KEY_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /api/mesh/nodes/:id/key: the key to which a node's id is pinned. PUT: another in its place. */
const { loader, action } = endpoint({
  GET: { handle: ({ services }, { params }) => services.identity.key(params['id'] ?? '') },
  PUT: {
    maxBytes: KEY_BODY_BYTES,
    allow({ requireCredential, limits, client }) {
      requireCredential();
      limits.countLookup(client());
    },
    async handle({ services, requireActionSigner, network }, { request, params, body, bytes }) {
      const nodeId = params['id'] ?? '';
      const signer = await requireActionSigner(request, bytes, nodeId);
      const rotation = { nodeId, signer, body, network: network() };
      return { status: 200, json: await services.identity.rotate(rotation) };
    },
  },
});
export { loader, action };
