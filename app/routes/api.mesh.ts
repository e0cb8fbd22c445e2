import { api } from '#app/lib/rest-endpoint.server.ts';

/** GET /api/mesh: all peers, with the live health of Genesis. */
const { loader, action } = api({
  GET: { list: () => true, handle: ({ services }) => services.mesh.answer() },
});
export { loader, action };
