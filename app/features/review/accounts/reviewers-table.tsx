import { Form } from '@remix-run/react';
import type { ListedReviewer } from '#server/accounts/index.ts';
import { DataTable } from '#app/ui/data-table.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { ConfirmAction } from '../row-action.tsx';
import styles from './reviewers-table.module.css';
import { RowButton, SecondFactorStatus } from './entry-list.tsx';

interface ReviewersTableProps {
  reviewers: ListedReviewer[];
  /** The address of the administrator who views the page. */
  own: string;
}

/** All accounts, and what an administrator can change about them. */
export function ReviewersTable({ reviewers, own }: ReviewersTableProps) {
  return (
    <DataTable
      inCard
      caption="Accounts"
      rows={reviewers}
      id={({ email }) => email}
      columns={[
        {
          head: 'Reviewer',
          kind: 'name',
          className: styles.reviewer,
          cell: ({ name, email }) => (
            <>
              {name}
              <span className={`${text.secondary} ${styles.email}`}>
                {email === own ? `${email} (you)` : email}
              </span>
            </>
          ),
        },
        { head: 'Role', kind: 'word', cell: ({ role }) => role },
        {
          head: 'Second factor',
          kind: 'word',
          cell: ({ twoFactorEnabled }) => <SecondFactorStatus on={twoFactorEnabled} />,
        },
        {
          head: 'Last sign-in',
          kind: 'word',
          cell: ({ lastSignInAt }) =>
            lastSignInAt === null ? 'never' : <RelativeTime at={lastSignInAt} />,
        },
        {
          head: 'Status',
          kind: 'word',
          phone: 'aside',
          cell: ({ deactivatedAt }) =>
            deactivatedAt ? (
              <Status status="offline" word="deactivated" />
            ) : (
              <Status status="online" word="active" />
            ),
        },
        {
          head: 'Actions',
          kind: 'actions',
          cell: (reviewer) => <Actions reviewer={reviewer} isOwn={reviewer.email === own} />,
        },
      ]}
    />
  );
}

/** Administrators can't deactivate themselves or create an access link for themselves. */
function Actions({ reviewer, isOwn }: { reviewer: ListedReviewer; isOwn: boolean }) {
  const { email, role, deactivatedAt } = reviewer;
  return (
    <Form method="post" className={styles.actions}>
      <input type="hidden" name="email" value={email} />
      {deactivatedAt ? (
        <RowButton intent="reactivate" subject={email}>
          Reactivate
        </RowButton>
      ) : (
        <>
          {role === 'reviewer' ? (
            <RowButton intent="administrator" subject={email}>
              Make administrator
            </RowButton>
          ) : isOwn ? (
            <ConfirmAction
              intent="reviewer"
              label="Make reviewer"
              subject={email}
              submitLabel="Make me a reviewer"
              consequence="You’ll lose access to this page and can’t undo this yourself. Another administrator can make you one again."
            />
          ) : (
            <RowButton intent="reviewer" subject={email}>
              Make reviewer
            </RowButton>
          )}
          {!isOwn && (
            <>
              <RowButton intent="access" subject={email}>
                New access link
              </RowButton>
              <ConfirmAction
                intent="deactivate"
                label="Deactivate"
                subject={email}
                submitLabel={`Deactivate ${email}`}
                consequence="Ends all their sessions at once and drops their decisions that can still be undone. Once reactivated, they can sign in as before."
              />
            </>
          )}
        </>
      )}
    </Form>
  );
}
