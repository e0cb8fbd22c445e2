import { Link } from '@remix-run/react';
import { REGISTRATION_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import type { RegistrationsPage as Loaded } from '#server/review/index.ts';
import {
  REVIEW_QUERY_MAX,
  reviewSearchHref,
  type ReviewSearch,
} from '#server/review/search.schema.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { count } from '#app/lib/formatters.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { Pagination } from '#app/ui/pagination.tsx';
import { SearchForm } from '#app/ui/search-field.tsx';
import card from '#app/ui/card.module.css';
import chips from '#app/ui/chips.module.css';
import { STATUS_LABEL } from '../labels.ts';
import filters from '../list-filters.module.css';
import { ReviewPage } from '../review-page.tsx';
import { RegistrationsTable } from './registrations-table.tsx';

/** All registrations, to be searched. */
export function RegistrationsPage({ list }: { list: Loaded & { search: ReviewSearch } }) {
  const connection = usePageRefresh(list);
  const { search, counts, page, rows, updatedAt } = list;
  const href = (change: Partial<ReviewSearch>) =>
    reviewSearchHref({ ...search, page: 1, ...change });
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title="Registrations"
      intro={`${count(page.total)} ${page.total === 1 ? 'registration' : 'registrations'}, latest change first`}
      live={<ConnectionStatus connection={connection} renderedAt={updatedAt} />}
    >
      <div className={card.padded}>
        <div className={filters.filters}>
          <SearchForm
            action={hrefs.review.registrations()}
            label="Search name, note, node or confirmation text"
            value={search.q}
            maxLength={REVIEW_QUERY_MAX}
            keep={{ status: search.status }}
            href={(q) => href({ q })}
          />
          <ul className={chips.chips} aria-label="Status">
            {([null, ...REGISTRATION_STATUSES] as const).map((status) => (
              <li key={status}>
                <Link
                  className={chips.chip}
                  to={href({ status })}
                  preventScrollReset
                  replace
                  aria-current={search.status === status ? 'true' : undefined}
                >
                  {status === null ? 'all' : STATUS_LABEL[status].word}{' '}
                  <span className={chips.count}>{count(counts[status ?? 'any'])}</span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
        {rows.length === 0 ? (
          <p>
            No matching registrations. <Link to={hrefs.review.registrations()}>Show all</Link>
          </p>
        ) : (
          <>
            <RegistrationsTable rows={rows} />
            <Pagination inCard page={page} href={(number) => href({ page: number })} />
          </>
        )}
      </div>
    </ReviewPage>
  );
}
