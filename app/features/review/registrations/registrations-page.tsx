import { Link, useLoaderData } from '@remix-run/react';
import { OPERATOR, REGISTRATION_STATUSES, SYSTEM } from '@mesh-registry/protocol/values.schema.ts';
import type { ReviewedRegistration } from '#server/review/index.ts';
import {
  REVIEW_QUERY_MAX,
  reviewSearchHref,
  type ReviewSearch,
} from '#server/review/search.schema.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { counted } from '#app/lib/formatters.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import card from '#app/ui/card.module.css';
import { STATUS_LABEL } from '../labels.ts';
import { ListFilters } from '../list-card.tsx';
import { ReviewPage } from '../review-page.tsx';
import { NodeProofMarks } from '../node-proof.tsx';
import { RegistrationStatus, ReviewerName } from '../row-parts.tsx';
import styles from './registrations-page.module.css';
import type { loadRegistrations } from './registrations.server.ts';

/** All registrations, to be searched. */
export function RegistrationsPage() {
  const list = useLoaderData<typeof loadRegistrations>();
  const connection = usePageRefresh(list);
  const { search, counts, page, rows, updatedAt } = list;
  const href = (change: Partial<ReviewSearch>) =>
    reviewSearchHref({ ...search, page: 1, ...change });
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title="Registrations"
      intro={`${counted(page.total, 'registration')}, latest change first`}
      live={<ConnectionStatus connection={connection} renderedAt={updatedAt} />}
    >
      <div className={card.padded}>
        <ListFilters
          search={{
            action: hrefs.review.registrations(),
            label: 'Search name, note, node or confirmation text',
            value: search.q,
            maxLength: REVIEW_QUERY_MAX,
            keep: { status: search.status },
            href: (q) => href({ q }),
          }}
          label="Status"
          states={([null, ...REGISTRATION_STATUSES] as const).map((status) => ({
            word: status === null ? 'all' : STATUS_LABEL[status].word,
            rows: counts[status ?? 'any'],
            to: href({ status }),
            chosen: search.status === status,
          }))}
          replace
        />
        {rows.length === 0 ? (
          <p>
            No matching registrations. <Link to={hrefs.review.registrations()}>Show all</Link>
          </p>
        ) : (
          <>
            <DataTable
              inCard
              className={styles.table}
              caption="Registrations"
              rows={rows}
              id={({ note }) => note}
              columns={COLUMNS}
            />
            <Pagination inCard page={page} href={(number) => href({ page: number })} />
          </>
        )}
      </div>
    </ReviewPage>
  );
}

const COLUMNS: Column<ReviewedRegistration>[] = [
  {
    head: 'Name',
    kind: 'name',
    cell: ({ note, name }) => <Link to={hrefs.review.registration(note)}>{name}</Link>,
  },
  {
    head: 'Status',
    kind: 'word',
    phone: 'aside',
    cell: ({ status, decidedBy }) => <RegistrationStatus {...{ status, decidedBy }} />,
  },
  { head: 'Payment note', kind: 'text', cell: ({ note }) => <code>{note}</code> },
  {
    head: 'Node',
    kind: 'text',
    cell: ({ nodeId, nodeProved, notices }) => (
      <>
        <code>{nodeId}</code>
        <NodeProofMarks nodeProved={nodeProved} notices={notices} />
      </>
    ),
  },
  {
    head: 'Decided by',
    kind: 'text',
    className: styles.decidedBy,
    cell: ({ decidedBy }) =>
      decidedBy !== null &&
      decidedBy !== SYSTEM &&
      decidedBy !== OPERATOR && <ReviewerName email={decidedBy} />,
  },
  { head: 'Last change', kind: 'number', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
];
