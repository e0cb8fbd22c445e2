import { ComputesQuery } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { ANNOUNCE_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /api/registry/computes: the compute directory. POST: a node's announcement. */
const { loader, action } = endpoint({
  GET: {
    query: ComputesQuery,
    list: () => true,
    handle: ({ services }, { query }) => services.computes.answer(query),
  },
  POST: {
    maxBytes: ANNOUNCE_BODY_BYTES,
    allow: ({ requireCredential }) => requireCredential(),
    async handle({ services, limits, client, reportSigner }, { request, body, bytes }) {
      const signer = await reportSigner('announcement', request, bytes, body);
      limits.countAnnounce(body);
      const options = { signer, newIds: limits.newComputes(client) };
      const answer = await services.computes.announce(body, options);
      return { status: 200, json: answer };
    },
  },
});
export { loader, action };
