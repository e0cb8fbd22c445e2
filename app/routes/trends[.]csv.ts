import { trendsCsv } from '#app/features/trends/trends-page.server.ts';
import { endpoint } from '#app/lib/rest.server.ts';

/** GET /trends.csv: the numbers of /trends, of all days. */
const { loader, action } = endpoint({ file: ({ context }) => trendsCsv(context) });
export { loader, action };
