import { Link } from '@remix-run/react';
import { Fragment } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';

/** IDs that are named, at most. */
const NAMED_MAX = 5;

/** That other nodes have nearly the same ID: a reader may take one for the other. */
export function SimilarNodes({ ids }: { ids: string[] }) {
  const more = ids.length - NAMED_MAX;
  return (
    <>
      {ids.length === 1
        ? 'Another node has an ID that differs only in upper and lower case: '
        : 'Other nodes have IDs that differ only in upper and lower case: '}
      {ids.slice(0, NAMED_MAX).map((id, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}
          <Link to={hrefs.node(id)}>
            <code>{id}</code>
          </Link>
        </Fragment>
      ))}
      {more > 0 && ` and ${more} more`}.
    </>
  );
}
