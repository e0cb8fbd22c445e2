import { api } from '#app/lib/rest-endpoint.server.ts';

/** GET /api/openapi.json: the OpenAPI document, generated from the schemas that parse the requests. */
const { loader, action } = api({
  GET: { handle: ({ openapi, origin }) => openapi(origin()) },
});
export { loader, action };
