import { parse } from '#server/common/errors.schema.ts';
import type { RequestContext } from '#server/entry/context.ts';
import { RegisterBody, RegisterQuery } from '@mesh-registry/protocol/rest/register.schema.ts';
import { REGISTER_BODY_BYTES } from '@mesh-registry/protocol/values.schema.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /api/registry/register: the fee and all names, one name, or one registration. POST: start, confirm, cancel and answer. */
const { loader, action } = endpoint({
  GET: {
    query: RegisterQuery,
    list: ({ name, id }) => name === undefined && id === undefined,
    secret: ({ id }) => id !== undefined,
    handle(context, { query: { name, id } }) {
      const { names, registry } = context.services;
      if (name !== undefined) return names.availability(name);
      return id === undefined ? registry.infoAnswer() : getRegistration(context, id);
    },
  },
  POST: {
    maxBytes: REGISTER_BODY_BYTES,
    allow: ({ limits, client }) => limits.countRegistration(client()),
    async handle({ services: { registration }, client, network, withPage }, { request, body }) {
      const input = parse(RegisterBody, body, 'invalid_body');
      const context = () => ({ client: client(), network: network() });
      if (input.action === 'confirm')
        return { status: 200, json: withPage(await registration.confirm(input, context())) };
      if (input.action === 'answer')
        return { status: 200, json: withPage(await registration.answer(input)) };
      if (input.action === 'cancel')
        return { status: 200, json: withPage(await registration.cancel(input, network())) };
      const idempotencyKey = request.header('idempotency-key') ?? undefined;
      const options = { ...context(), idempotencyKey };
      return { status: 201, json: withPage(await registration.start(input, options)) };
    },
  },
});
export { loader, action };

/** Reads the database, unlike the fee and the names. */
async function getRegistration(
  { services, limits, client, withPage }: RequestContext,
  id: string,
): Promise<object> {
  limits.countLookup(client());
  return withPage(await services.registration.get(id));
}
