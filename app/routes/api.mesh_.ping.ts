import { PING_BODY_BYTES } from '#server/mesh/values.schema.ts';
import { api } from '#app/lib/rest-endpoint.server.ts';

/** POST /api/mesh/ping: a node's heartbeat. GET: its description for machines. */
const { loader, action } = api({
  GET: { handle: ({ services }) => services.mesh.describeAnswer() },
  POST: {
    maxBytes: PING_BODY_BYTES,
    allow: ({ requireCredential }) => requireCredential(),
    async handle({ services, limits, client }, { body }) {
      await limits.ping(body);
      const answer = await services.mesh.ping(body, limits.newNodes(client));
      return { status: answer.isNew ? 201 : 200, json: answer };
    },
  },
});
export { loader, action };
