import { endpoint } from '#app/lib/rest.server.ts';
import { computesCsv } from '#app/features/computes/export.server.ts';

/** GET /computes.csv: what /computes shows for the same query, for a spreadsheet. */
const { loader, action } = endpoint({ file: computesCsv });
export { loader, action };
