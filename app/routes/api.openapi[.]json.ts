import { api } from '#app/lib/rest-endpoint.server.ts';

/** GET /api/openapi.json: this interface, made from the schemas that parse its requests. */
const { loader, action } = api({
  GET: { handle: ({ openapi, origin }) => openapi(origin()) },
});
export { loader, action };
