import { api } from '#app/lib/rest-endpoint.server.ts';

/** GET /healthz: the process is alive. For the database see /readyz. */
const { loader, action } = api({ GET: { handle: () => ({ ok: true }) } });
export { loader, action };
