import * as hrefs from '#app/lib/hrefs.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import { Command } from '#app/ui/command.tsx';
import { Link } from '#app/ui/link.tsx';
import { Menu } from '#app/ui/menu.tsx';
import text from '#app/ui/text.module.css';
import { apiCall } from './api-call.ts';
import { queryString, unfiltered, type DirectoryQuery } from './directory-query.ts';
import styles from './result-bar.module.css';
import type { Totals } from './select-computes.ts';

interface ResultBarProps {
  /** Totals of the matching compute offers. */
  found: Totals;
  /** Compute offers in the whole directory. */
  total: number;
  query: DirectoryQuery;
  /** Scheme and host of this service. */
  origin: string;
}

/** How many compute offers match the filters, and how to get them as data. */
export function ResultBar({ found, total, query, origin }: ResultBarProps) {
  const clear = queryString(unfiltered(query));
  const search = queryString({ ...query, page: 1 });
  return (
    <div className={styles.bar}>
      <p className={`${text.secondary} ${styles.found}`}>
        <span className={styles.count}>
          <span aria-live="polite">
            {found.total === total
              ? offers(found.total)
              : `${count(found.total)} of ${offers(total)}`}
          </span>
          {found.total !== total && ` on ${nodes(found.nodes)}, ${count(found.freeSlots)} free`}
        </span>{' '}
        {clear !== search && (
          <Link to={{ search: clear }} preventScrollReset>
            Clear filters
          </Link>
        )}
      </p>
      <Menu label="API call">
        <ApiCommand query={query} origin={origin} />
      </Menu>
      <Menu label="Download">
        <p className={text.secondary}>{offers(found.total)}, current state</p>
        <a className={button.button} href={hrefs.computesCsv(search)} download>
          CSV
        </a>
        <a className={button.button} href={hrefs.computesJson(search)} download>
          JSON
        </a>
      </Menu>
    </div>
  );
}

const offers = (n: number) => `${count(n)} ${n === 1 ? 'compute offer' : 'compute offers'}`;

/** The REST call closest to what the page shows, and the filters that it lacks. */
function ApiCommand({ query, origin }: Pick<ResultBarProps, 'query' | 'origin'>) {
  const { search, unsupported } = apiCall(query);
  const command = `curl -s "${origin}${hrefs.api.computes(search)}"`;
  const file = hrefs.computesJson(queryString({ ...query, page: 1 }));
  return (
    <>
      <p>
        {unsupported.length === 0
          ? 'This call returns the same compute offers, ordered by their first announcement:'
          : 'The closest API call:'}
      </p>
      <Command label="Command" code={command} copyLabel="Copy command" wrapped />
      {unsupported.length > 0 && (
        <p className={text.secondary}>
          The API has no parameter for {listed(unsupported)}, so it returns more compute offers,
          ordered by their first announcement.
        </p>
      )}
      <p className={text.secondary}>
        With all filters and in this order: <a href={file}>{file}</a>
      </p>
    </>
  );
}

const listed = (parts: string[]) =>
  parts.length < 2
    ? parts.join('')
    : `${parts.slice(0, -1).join(', ')} and ${parts.slice(-1).join('')}`;
