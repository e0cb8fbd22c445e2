import { parse } from '#server/common/errors.schema.ts';
import { Claim, type NodeRegistrations } from '@mesh-registry/protocol/rest/register.schema.ts';
import { REGISTER_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /api/mesh/nodes/:id/registrations: those that the key of the node has proved. POST: proves one more. */
const { loader, action } = endpoint({
  GET: {
    noStore: true,
    // Whatever the node is pinned to: what a key may see and prove depends on the registration.
    async handle(context, { request, params: { id: nodeId = '' } }): Promise<NodeRegistrations> {
      const { services, limits, client, requireActionSigner, withPage } = context;
      limits.countLookup(client());
      const key = await requireActionSigner(request, null);
      const found = await services.registration.registrationsOfKey({ nodeId, key });
      return { ok: true, nodeId, count: found.length, registrations: found.map(withPage) };
    },
  },
  POST: {
    maxBytes: REGISTER_BODY_BYTES,
    allow: ({ limits, client }) => limits.countRegistration(client()),
    async handle(context, { request, body, bytes, params: { id: nodeId = '' } }) {
      const key = await context.requireActionSigner(request, bytes);
      const { id } = parse(Claim, body, 'invalid_body');
      const claimed = await context.services.registration.claimByKey({ nodeId, id, key });
      return { status: 200, json: context.withPage(claimed) };
    },
  },
});
export { loader, action };
