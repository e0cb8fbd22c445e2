import * as hrefs from '#app/lib/hrefs.ts';
import { counted } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import { Command } from '#app/ui/command.tsx';
import { CodeIcon, DownloadIcon } from '#app/ui/icons.tsx';
import { Menu } from '#app/ui/menu.tsx';
import text from '#app/ui/text.module.css';
import { apiCall } from './api-call.ts';
import { queryString, type DirectoryQuery } from './directory-query.ts';
import styles from './exports.module.css';

interface ExportsProps {
  /** How many offers match. */
  offers: number;
  query: DirectoryQuery;
  /** Scheme and host of this service. */
  origin: string;
}

/** How to get the offers as data: by the API, or as a file. */
export function Exports({ offers, query, origin }: ExportsProps) {
  const search = queryString({ ...query, page: 1, compare: [] });
  return (
    <div className={styles.exports}>
      <Menu label="API call" icon={<CodeIcon />}>
        <ApiCommand query={query} origin={origin} />
      </Menu>
      <Menu label="Export" icon={<DownloadIcon />}>
        <p className={text.secondary}>{counted(offers, 'compute offer')}, current state</p>
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

/** The REST call closest to what the page shows, and the filters that it lacks. */
function ApiCommand({ query, origin }: Pick<ExportsProps, 'query' | 'origin'>) {
  const { search, unsupported } = apiCall(query);
  const command = `curl -s "${origin}${hrefs.api.computes(search)}"`;
  const file = hrefs.computesJson(queryString({ ...query, page: 1, compare: [] }));
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
