import { api } from '../api.server.ts';
import { computesCsv } from '../computes-download.server.ts';

/** GET /computes.csv: what /computes shows for the same query, for a spreadsheet. */
const { loader, action } = api({ GET: { handle: computesCsv } });
export { loader, action };
