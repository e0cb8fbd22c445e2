import { endpoint } from '#app/lib/rest.server.ts';

/** GET /api/mesh: all peers, with the live health of Genesis. */
const { loader, action } = endpoint({
  GET: { list: () => true, handle: ({ services }) => services.mesh.answer() },
});
export { loader, action };
