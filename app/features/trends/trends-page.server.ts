import type { LoaderFunctionArgs } from '@remix-run/node';
import { NODE_CLASSES } from '@mesh-registry/protocol/values.schema.ts';
import { csv } from '#app/lib/csv.server.ts';
import { download } from '#app/lib/download.server.ts';
import type { RequestContext } from '#server/entry/context.ts';
import type { TaggedFile } from '#server/entry/rest/engine.ts';
import { parseTrendsQuery } from './trends-query.ts';

/** The data of the page /trends: the days of the chosen span, from memory. */
export const loadTrends = ({ request, context: { services } }: LoaderFunctionArgs) =>
  services.uptime.trends(parseTrendsQuery(new URL(request.url).searchParams).days);

const COLUMNS = [
  ...['day', 'nodes', 'online', 'syncing', 'idle', 'offline', 'joined', 'left'],
  ...['freeSlots', 'offers', 'names'],
  ...NODE_CLASSES.map((size) => `class${size}`),
];

/** GET /trends.csv: a line for each day that is kept, oldest first, with every number. An empty field isn't known. */
export function trendsCsv({ services }: Pick<RequestContext, 'services'>): TaggedFile {
  const { days, today } = services.uptime.trends(365);
  const regions = [...new Set(days.flatMap((day) => Object.keys(day.regions ?? {})))].sort();
  const rows = days.map(({ class: sizes, regions: byRegion, ...day }): Record<string, unknown> => {
    const classes = NODE_CLASSES.map((size): [string, unknown] => [`class${size}`, sizes?.[size]]);
    const places = regions.map((code): [string, unknown] => [
      `region ${code}`,
      byRegion && (byRegion[code] ?? 0),
    ]);
    const values: [string, unknown][] = [...Object.entries(day), ...classes, ...places];
    return Object.fromEntries(values.map(([key, value]): [string, unknown] => [key, value ?? '']));
  });
  return download(
    'trends',
    today,
    'csv',
    csv([...COLUMNS, ...regions.map((code) => `region ${code}`)], rows),
  );
}
