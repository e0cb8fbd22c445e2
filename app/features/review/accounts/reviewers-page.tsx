import { Form, useLoaderData } from '@remix-run/react';
import { useMemo } from 'react';
import { SYSTEM, REVIEWER_ROLES } from '@mesh-registry/protocol/values.schema.ts';
import type { ListedReviewer, OpenLink } from '#server/accounts/index.ts';
import { formErrorOf, type FormError } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import card from '#app/ui/card.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { ExactTime, RelativeTime } from '#app/ui/moment.tsx';
import { ActionForm, FormAlert, TextField } from '#app/ui/form.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RadioGroup } from '#app/ui/radio-group.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { ReviewerName } from '../row-parts.tsx';
import { ReviewPage } from '../review-page.tsx';
import { ConfirmAction } from '../row-action.tsx';
import { Entry, EntryList, RowButton, SecondFactorStatus } from './entry-list.tsx';
import panels from './panels.module.css';
import type { changeReviewers, loadReviewers } from './accounts.server.ts';
import styles from './reviewers-page.module.css';

/** For administrators: all accounts, and the links that create accounts or renew access. */
export function ReviewersPage() {
  const { reviewers, links, own, updatedAt } = useLoaderData<typeof loadReviewers>();
  const answer = useFormResult<typeof changeReviewers>('');
  const inviteProblem = formErrorOf(answer, { intent: 'invite' });
  const created = answer && 'link' in answer ? answer.link : undefined;
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title="Reviewers"
      intro="Reviewers decide on registrations. Administrators also manage reviewers."
    >
      {!inviteProblem && <FormAlert problem={formErrorOf(answer)} />}
      {created && <NewLink key={created.url} email={created.email} url={created.url} />}
      <div className={card.padded}>
        <ReviewersTable reviewers={reviewers} own={own} />
      </div>
      <div className={panels.panels}>
        <Panel title="Invite a reviewer">
          <InviteForm problem={inviteProblem} />
        </Panel>
        <Panel title="Open links">
          {links.length === 0 ? (
            <p className={text.secondary}>None. Links disappear once used.</p>
          ) : (
            <EntryList>
              {links.map((link) => (
                <OpenLinkEntry key={link.email} {...link} />
              ))}
            </EntryList>
          )}
        </Panel>
      </div>
    </ReviewPage>
  );
}

/** All accounts, and what an administrator can change about them. @param own the administrator's own address */
function ReviewersTable({ reviewers, own }: { reviewers: ListedReviewer[]; own: string }) {
  const columns = useMemo(() => columnsFor(own), [own]);
  return (
    <DataTable
      inCard
      caption="Accounts"
      rows={reviewers}
      id={({ email }) => email}
      columns={columns}
    />
  );
}

const columnsFor = (own: string): Column<ListedReviewer>[] => [
  {
    head: 'Reviewer',
    kind: 'name',
    className: styles.reviewer,
    cell: ({ name, email }) => (
      <>
        {name}
        <span className={text.remark}>{email === own ? `${email} (you)` : email}</span>
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
];

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

function InviteForm({ problem }: { problem: FormError | undefined }) {
  return (
    <ActionForm intent="invite" problem={problem} submitLabel="Create link" look="primary">
      <TextField
        label="Email address"
        name="email"
        type="email"
        autoComplete="off"
        hint="You’ll get a link to pass on. The service doesn’t send email."
        required
      />
      <RadioGroup legend="Role" name="role" options={REVIEWER_ROLES} defaultValue="reviewer" />
    </ActionForm>
  );
}

function NewLink({ email, url }: { email: string; url: string }) {
  return (
    <section
      className={`${card.padded} ${styles.newLink}`}
      aria-labelledby="new-link"
      role="status"
    >
      <h2 id="new-link">Link for {email}</h2>
      <p>
        Send it to them. It can be used once, within 7 days. Copy it now: it won’t be shown again.
      </p>
      <div className={styles.url}>
        <code>{url}</code>
        <CopyButton text={url} />
      </div>
    </section>
  );
}

function OpenLinkEntry({ email, role, renews, invitedBy, expiresAt }: OpenLink) {
  return (
    <Entry
      title={email}
      details={
        <>
          {renews ? 'New access' : `Invited as ${role}`} by{' '}
          {invitedBy === SYSTEM ? 'the command line' : <ReviewerName email={invitedBy} />}, expires{' '}
          <ExactTime at={expiresAt} />
        </>
      }
      action={
        <Form method="post">
          <input type="hidden" name="email" value={email} />
          <RowButton intent="withdraw" subject={email}>
            Withdraw
          </RowButton>
        </Form>
      }
    />
  );
}
