import { endpoint } from '#app/lib/rest.server.ts';

/** GET /api/openapi.json: the OpenAPI document, generated from the schemas that parse the requests. */
const { loader, action } = endpoint({
  GET: { handle: ({ openapi, origin }) => openapi(origin()) },
});
export { loader, action };
