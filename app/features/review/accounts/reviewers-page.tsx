import { Form } from '@remix-run/react';
import { SYSTEM, REVIEWER_ROLES } from '@mesh-registry/protocol/values.schema.ts';
import type { ListedReviewer, OpenLink } from '#server/accounts/index.ts';
import { formErrorOf, type FormError } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import card from '#app/ui/card.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { ExactTime } from '#app/ui/moment.tsx';
import { ActionForm, FormAlert, TextField } from '#app/ui/form.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RadioGroup } from '#app/ui/radio-group.tsx';
import text from '#app/ui/text.module.css';
import { ReviewerName } from '../row-parts.tsx';
import { ReviewPage } from '../review-page.tsx';
import { Entry, EntryList, RowButton } from './entry-list.tsx';
import panels from './panels.module.css';
import type { changeReviewers } from './accounts.server.ts';
import styles from './reviewers-page.module.css';
import { ReviewersTable } from './reviewers-table.tsx';

interface ReviewersPageProps {
  reviewers: ListedReviewer[];
  links: OpenLink[];
  /** The address of the administrator who views the page. */
  own: string;
  updatedAt: string;
}

/** For administrators: all accounts, and the links that create accounts or renew access. */
export function ReviewersPage({ reviewers, links, own, updatedAt }: ReviewersPageProps) {
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
