import { endpoint } from '#app/lib/rest.server.ts';
import { computesJson } from '#app/features/computes/export.server.ts';

/** GET /computes.json: what /computes shows for the same query, as the API writes it. */
const { loader, action } = endpoint({ file: computesJson });
export { loader, action };
