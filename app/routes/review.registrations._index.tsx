import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import {
  readReviewSearch,
  REVIEW_QUERY_MAX,
  reviewSearchHref,
  type ReviewSearch,
} from '#server/review/search.schema.ts';
import { REGISTRATION_STATUSES } from '#server/common/values.schema.ts';
import type { ReviewedRegistration } from '#server/review/review-desk.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { ReviewerName } from '#app/features/review/reviewer-name.tsx';
import { Records } from '#app/features/review/records.tsx';
import { RegistrationStatus } from '#app/features/review/queue/registration-facts.tsx';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { STATUS } from '#app/features/review/labels.ts';
import { SearchForm } from '#app/ui/search-form.tsx';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { count } from '#app/lib/formatters.ts';
import { requireReviewer } from '#app/features/review/review.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const search = readReviewSearch(new URL(args.request.url).searchParams);
  return { ...args.context.services.review.search(search), search };
}
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'Registrations · Mesh Registry' }];

export default function Registrations() {
  const loaded = useLoaderData<typeof loader>();
  const connection = usePageRefresh(loaded);
  const { search, counts, page, rows } = loaded;
  const href = (change: Partial<ReviewSearch>) =>
    reviewSearchHref({ ...search, page: 1, ...change });
  return (
    <ReviewPage
      updatedAt={loaded.updatedAt}
      title="Registrations"
      intro={`${count(page.total)} ${page.total === 1 ? 'registration' : 'registrations'}, the newest change first`}
      live={<ConnectionStatus connection={connection} madeAt={loaded.updatedAt} />}
    >
      <div className="card">
        <div className="review-search">
          <SearchForm
            action="/review/registrations"
            label="Search name, note, node or what they wrote"
            value={search.q}
            maxLength={REVIEW_QUERY_MAX}
            keep={{ status: search.status }}
            href={(q) => href({ q })}
          />
          <ul className="chips" aria-label="State">
            {([null, ...REGISTRATION_STATUSES] as const).map((status) => (
              <li key={status}>
                <Link
                  className="chip"
                  to={href({ status })}
                  preventScrollReset
                  replace
                  aria-current={search.status === status ? 'true' : undefined}
                >
                  {status === null ? 'all' : STATUS[status].word} {count(counts[status ?? 'any'])}
                </Link>
              </li>
            ))}
          </ul>
        </div>
        {rows.length === 0 ? (
          <p>
            No registration fits. <Link to="/review/registrations">Show all</Link>
          </p>
        ) : (
          <>
            <Table rows={rows} />
            <Pagination page={page} href={(number) => href({ page: number })} />
          </>
        )}
      </div>
    </ReviewPage>
  );
}

function Table({ rows }: { rows: ReviewedRegistration[] }) {
  return (
    <Records
      className="registrations-table"
      caption="Registrations"
      rows={rows}
      id={({ note }) => note}
      columns={[
        {
          head: 'Name',
          is: 'name',
          className: 'name',
          cell: ({ note, name }) => <Link to={`/review/registrations/${note}`}>{name}</Link>,
        },
        {
          head: 'State',
          className: 'state',
          cell: ({ status, decidedBy }) => <RegistrationStatus {...{ status, decidedBy }} />,
        },
        { head: 'Note', className: 'cell-note', cell: ({ note }) => <code>{note}</code> },
        { head: 'Node', className: 'node', cell: ({ nodeId }) => <code>{nodeId}</code> },
        {
          head: 'Decided by',
          className: 'by',
          cell: ({ decidedBy }) =>
            decidedBy === null ? (
              <span className="visually-hidden">nobody</span>
            ) : (
              <ReviewerName email={decidedBy} />
            ),
        },
        {
          head: 'Changed',
          className: 'changed num',
          cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
        },
      ]}
    />
  );
}
