import { PingQuery } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { PING_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** POST /api/mesh/ping: a node's heartbeat. GET: its description for machines. */
const { loader, action } = endpoint({
  GET: { handle: ({ services }) => services.mesh.describeAnswer() },
  POST: {
    maxBytes: PING_BODY_BYTES,
    query: PingQuery,
    allow: ({ requireCredential }) => requireCredential(),
    async handle({ services, limits, client, reportSigner }, { request, query, body, bytes }) {
      const signer = await reportSigner('heartbeat', request, bytes, body);
      limits.countPing(body);
      const options = { signer, newIds: limits.newNodes(client) };
      if (query.dry) return { status: 200, json: await services.mesh.dryPing(body, options) };
      const answer = await services.mesh.ping(body, options);
      return { status: answer.isNew ? 201 : 200, json: answer };
    },
  },
});
export { loader, action };
