import { Form } from '@remix-run/react';
import type { ListedReviewer } from '#server/accounts/index.ts';
import { Status } from '#app/ui/status-icon.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { ConfirmAction } from '../confirm-action.tsx';
import { DataTable } from '#app/ui/data-table.tsx';

/** Who may decide, and what an administrator can change about them. */
export function People({
  reviewers,
  own,
}: {
  reviewers: ListedReviewer[];
  /** The address of who looks. */
  own: string;
}) {
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
          cell: ({ name, email }) => (
            <>
              {name}
              <span className="secondary remark">{email === own ? `${email}, you` : email}</span>
            </>
          ),
        },
        { head: 'Role', cell: ({ role }) => role },
        {
          head: 'Second factor',
          cell: ({ twoFactorEnabled }) => <OnOff on={twoFactorEnabled} />,
        },
        {
          head: 'Last sign-in',
          cell: ({ lastSignInAt }) =>
            lastSignInAt === null ? 'never' : <RelativeTime at={lastSignInAt} />,
        },
        {
          head: 'State',
          kind: 'word',
          cell: ({ deactivatedAt }) =>
            deactivatedAt ? (
              <Status status="offline" word="deactivated" />
            ) : (
              <Status status="online" word="active" />
            ),
        },
        {
          head: 'Change',
          kind: 'actions',
          cell: (reviewer) => <Changes reviewer={reviewer} own={reviewer.email === own} />,
        },
      ]}
    />
  );
}

/** Of a second factor. */
export const OnOff = ({ on }: { on: boolean }) => (
  <Status status={on ? 'online' : 'idle'} word={on ? 'on' : 'off'} />
);

/** Nobody takes their own access away. */
function Changes({ reviewer, own }: { reviewer: ListedReviewer; own: boolean }) {
  const { email, role, deactivatedAt } = reviewer;
  const other = role === 'administrator' ? 'reviewer' : 'administrator';
  return (
    <Form method="post" className="actions">
      <input type="hidden" name="email" value={email} />
      {deactivatedAt ? (
        <Act intent="reactivate" of={email}>
          Reactivate
        </Act>
      ) : (
        <>
          {own && other === 'reviewer' ? (
            <ConfirmAction
              intent={other}
              label="Make reviewer"
              subject={email}
              submitLabel="Make me a reviewer"
              consequence="You can no longer open this page, nor undo this: another administrator has to make you one again."
            />
          ) : (
            <Act intent={other} of={email}>
              {other === 'administrator' ? 'Make administrator' : 'Make reviewer'}
            </Act>
          )}
          {!own && (
            <>
              <Act intent="access" of={email}>
                New access link
              </Act>
              <ConfirmAction
                intent="deactivate"
                label="Deactivate"
                subject={email}
                submitLabel={`Deactivate ${email}`}
                consequence="Every session of theirs ends at once, and what they decided in the last seconds is dropped. Reactivated, they sign in as before."
              />
            </>
          )}
        </>
      )}
    </Form>
  );
}

/** One of the buttons of a row; what it does it does to the row's account. */
export function Act({ intent, of, children }: { intent: string; of: string; children: string }) {
  return (
    <button className="link" name="intent" value={intent}>
      {children}
      <span className="visually-hidden">: {of}</span>
    </button>
  );
}
