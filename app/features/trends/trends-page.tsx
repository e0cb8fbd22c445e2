import { useLoaderData, useSearchParams } from '@remix-run/react';
import { useMemo } from 'react';
import type { Trends } from '#server/uptime/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import { Link } from '#app/ui/link.tsx';
import { Page } from '#app/ui/page.tsx';
import { Segmented } from '#app/ui/segmented.tsx';
import { ReadOut } from './read-out.tsx';
import { parseTrendsQuery, SPANS, spanText, trendsHref, type TrendsQuery } from './trends-query.ts';
import { TrendsCharts } from './trends-charts.tsx';
import styles from './trends-page.module.css';
import { TrendsTable } from './trends-table.tsx';
import { useChosenDay } from './use-chosen-day.ts';

/** So many days make a line. */
const LEAST_DAYS = 2;
/** A year says no more than this many days until there are more of them. */
const YEAR_FROM = 90;

/** The page /trends: how the network grew, as charts that share one chosen day, or as a table. */
export function TrendsPage() {
  const trends = useLoaderData<Trends>();
  const [search] = useSearchParams();
  const query = useMemo(() => parseTrendsQuery(search), [search]);
  return (
    <Page
      title="Trends"
      intro="How the network grew. A day is the mean of a UTC day."
      actions={trends.known >= LEAST_DAYS && <Actions query={query} known={trends.known} />}
    >
      {trends.known < LEAST_DAYS ? (
        <p className={styles.empty}>The first point comes tonight.</p>
      ) : query.table ? (
        <TrendsTable days={trends.days} />
      ) : (
        <Charts trends={trends} query={query} />
      )}
    </Page>
  );
}

function Charts({ trends, query }: { trends: Trends; query: TrendsQuery }) {
  const days = useChosenDay(trends.days, query);
  const day = trends.days[days.chosen];
  return (
    <>
      {day && <ReadOut day={day} />}
      <TrendsCharts trends={trends} days={days} />
    </>
  );
}

/** How far back, the same as a table, and all numbers as a file. */
function Actions({ query, known }: { query: TrendsQuery; known: number }) {
  const spans = SPANS.filter((days) => days <= YEAR_FROM || known > YEAR_FROM);
  return (
    <>
      <Segmented
        label="Period"
        segments={spans.map((days) => ({
          to: trendsHref({ ...query, days }),
          text: spanText(days),
          chosen: days === query.days,
          replace: true,
        }))}
      />
      <Link
        className={`${button.button} ${styles.table}`}
        to={trendsHref({ ...query, table: !query.table })}
        preventScrollReset
      >
        {query.table ? 'Charts' : 'Table'}
      </Link>
      <a className={button.button} href={hrefs.trendsCsv()} download>
        CSV
      </a>
    </>
  );
}
