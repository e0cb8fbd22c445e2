import { apiCall, queryString, type DirectoryQuery } from './query.ts';
import { CopyButton } from '#app/ui/copy-button.tsx';

export interface ApiCallProps {
  query: DirectoryQuery;
  /** Scheme and host of this service. */
  origin: string;
}

/** The REST call closest to what the page shows, and which filters it lacks. */
export function ApiCall({ query, origin }: ApiCallProps) {
  const { search, beyond } = apiCall(query);
  const command = `curl -s "${origin}/api/registry/computes${search}"`;
  const file = `/computes.json${queryString({ ...query, page: 1 })}`;
  return (
    <>
      <p>
        {beyond.length === 0
          ? 'The same rows from the API, by first announcement:'
          : 'The closest API call:'}
      </p>
      <pre className="code" tabIndex={0} aria-label="Command">
        <code>{command}</code>
      </pre>
      <p>
        <CopyButton text={command} label="Copy command" />
      </p>
      {beyond.length > 0 && (
        <p className="secondary">
          The API has no parameter for {listed(beyond)}: its answer holds more rows, in the order of
          their first announce.
        </p>
      )}
      <p className="secondary">
        With all filters and in this order: <a href={file}>{file}</a>
      </p>
    </>
  );
}

const listed = (parts: string[]) =>
  parts.length < 2
    ? parts.join('')
    : `${parts.slice(0, -1).join(', ')} and ${parts.slice(-1).join('')}`;
