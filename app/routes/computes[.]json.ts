import { api } from '../api.server.ts';
import { computesJson } from '../computes-download.server.ts';

/** GET /computes.json: what /computes shows for the same query, as the API writes it. */
const { loader, action } = api({ GET: { handle: computesJson } });
export { loader, action };
