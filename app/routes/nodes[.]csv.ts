import { endpoint } from '#app/lib/rest.server.ts';
import { nodesCsv } from '#app/features/mesh/nodes-file.server.ts';

/** GET /nodes.csv: what the map's list shows for the same query, for a spreadsheet. */
const { loader, action } = endpoint({ file: nodesCsv });
export { loader, action };
