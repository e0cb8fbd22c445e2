import { apiCall, queryString, type DirectoryQuery } from './query.ts';
import { CopyButton } from '#app/ui/copy-button.tsx';

export interface ApiCallProps {
  query: DirectoryQuery;
  /** Scheme and host of this service. */
  origin: string;
}

/** The call of the REST interface that is nearest to what the page shows, and what it cannot say. */
export function ApiCall({ query, origin }: ApiCallProps) {
  const { search, beyond } = apiCall(query);
  const command = `curl -s "${origin}/api/registry/computes${search}"`;
  const file = `/computes.json${queryString({ ...query, page: 1 })}`;
  return (
    <>
      <p>
        {beyond.length === 0
          ? 'The same rows from the API, in the order of their first announce:'
          : 'The nearest call of the API:'}
      </p>
      <pre className="code" tabIndex={0} aria-label="Command">
        <code>{command}</code>
      </pre>
      <p>
        <CopyButton text={command} label="Copy the command" />
      </p>
      {beyond.length > 0 && (
        <p className="secondary">
          The API has no parameter for {listed(beyond)}: its answer holds more rows, in the order of
          their first announce.
        </p>
      )}
      <p className="secondary">
        With every filter and in this order: <a href={file}>{file}</a>
      </p>
    </>
  );
}

const listed = (parts: string[]) =>
  parts.length < 2
    ? parts.join('')
    : `${parts.slice(0, -1).join(', ')} and ${parts.slice(-1).join('')}`;
