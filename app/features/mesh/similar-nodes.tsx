import { Link } from '@remix-run/react';
import { Fragment } from 'react';
import type { SimilarIds } from '#server/live/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';

/** That other nodes have nearly the same ID: a reader may take one for the other. */
export function SimilarNodes({ ids, count }: SimilarIds) {
  const more = count - ids.length;
  return (
    <>
      {count === 1
        ? 'Another node has an ID that differs only in upper and lower case: '
        : 'Other nodes have IDs that differ only in upper and lower case: '}
      {ids.map((id, at) => (
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
