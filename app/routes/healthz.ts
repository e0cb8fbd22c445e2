import { endpoint } from '#app/lib/rest.server.ts';

/** GET /healthz: the process is alive. For the database see /readyz. */
const { loader, action } = endpoint({ GET: { handle: () => ({ ok: true }) } });
export { loader, action };
