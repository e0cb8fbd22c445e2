import { AppError, parse } from '#server/common/errors.schema.ts';
import type { EndpointRequest } from '#server/http/endpoint-request.ts';
import type { RequestContext } from '#server/entry/context.ts';
import { Claim, type NodeRegistrations } from '@mesh-registry/protocol/rest/register.schema.ts';
import { REGISTER_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /api/mesh/nodes/:id/registrations: those that the key of the node has proved. POST: proves one more. */
const { loader, action } = endpoint({
  GET: {
    noStore: true,
    async handle(context, { request, params: { id: nodeId = '' } }): Promise<NodeRegistrations> {
      const { services, limits, client } = context;
      await limits.countLookup(client());
      const key = await signerOf(context, request, null);
      const registrations = await services.registration.registrationsOfKey({ nodeId, key });
      return { ok: true, nodeId, count: registrations.length, registrations };
    },
  },
  POST: {
    maxBytes: REGISTER_BODY_BYTES,
    allow: ({ limits, client }) => limits.countRegistration(client()),
    async handle(context, { request, body, text, params: { id: nodeId = '' } }) {
      const key = await signerOf(context, request, text);
      const { id } = parse(Claim, body, 'invalid_body');
      return {
        status: 200,
        json: await context.services.registration.claimByKey({ nodeId, id, key }),
      };
    },
  },
});
export { loader, action };

/** The key that has signed, whatever the node is pinned to: what it may do depends on the registration. */
async function signerOf(
  { nodeSigner }: RequestContext,
  request: EndpointRequest,
  body: string | null,
): Promise<string> {
  const signer = await nodeSigner(request, body, null);
  if (signer === null)
    throw new AppError(
      'signature_required',
      'Sign this request with the key of the node, as RFC 9421 says. mesh-agent does it by itself.',
    );
  return signer;
}
