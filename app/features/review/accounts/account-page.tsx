import { Form, Link, useLoaderData } from '@remix-run/react';
import { PERSON_NAME_MAX } from '@mesh-registry/protocol/values.schema.ts';
import type { Session } from '#server/accounts/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import button from '#app/ui/button.module.css';
import { ActionForm, CurrentPassword, FormAlert, NewPassword, TextField } from '#app/ui/form.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { ReviewPage } from '../review-page.tsx';
import type { changeAccount, loadAccount } from './accounts.server.ts';
import { Entry, EntryList, RowButton, SecondFactorStatus } from './entry-list.tsx';
import panels from './panels.module.css';

/** The reviewer's own account: name, password, second factor, sessions. */
export function AccountPage() {
  const { name, email, role, twoFactorEnabled, sessions, updatedAt } =
    useLoaderData<typeof loadAccount>();
  const answer = useFormResult<typeof changeAccount>('');
  const nameProblem = formErrorOf(answer, { intent: 'rename' });
  const passwordProblem = formErrorOf(answer, { intent: 'password' });
  const passwordChanged = answer !== undefined && 'passwordChanged' in answer;
  return (
    <ReviewPage updatedAt={updatedAt} title="Your account" intro={`${email}, ${role}`}>
      {!nameProblem && !passwordProblem && <FormAlert problem={formErrorOf(answer)} />}
      <div className={panels.panels}>
        <Panel title="Name">
          <ActionForm intent="rename" problem={nameProblem} submitLabel="Save">
            <TextField
              label="Name"
              name="name"
              defaultValue={name}
              autoComplete="name"
              maxLength={PERSON_NAME_MAX}
              hint="Shown to other reviewers."
              required
            />
          </ActionForm>
        </Panel>
        <Panel title="Second factor">
          <SecondFactorStatus on={twoFactorEnabled} />
          <p className={text.secondary}>
            {twoFactorEnabled
              ? 'Signing in asks for a code from your authenticator app.'
              : 'Protects your account even if someone learns your password.'}
          </p>
          <Link to={hrefs.review.secondFactor()} className={button.button}>
            {twoFactorEnabled ? 'Manage' : 'Set up'}
          </Link>
        </Panel>
        <Panel title="Password">
          <div role="status">
            {passwordChanged && (
              <p>Your password was changed. All your other sessions have ended.</p>
            )}
          </div>
          <ActionForm intent="password" problem={passwordProblem} submitLabel="Change password">
            <input type="hidden" autoComplete="username" value={email} />
            <CurrentPassword />
            <NewPassword label="New password" name="newPassword" />
          </ActionForm>
        </Panel>
        <Panel title="Sessions">
          <EntryList>
            {sessions.map((session) => (
              <SessionEntry key={session.id} {...session} />
            ))}
          </EntryList>
          {sessions.length > 1 && (
            <Form method="post">
              <button className={button.button} name="intent" value="end-others">
                End all other sessions
              </button>
            </Form>
          )}
        </Panel>
      </div>
    </ReviewPage>
  );
}

function SessionEntry({ id, device, since, current }: Session) {
  return (
    <Entry
      title={device}
      details={
        <>
          {current ? 'This browser, signed in ' : 'Signed in '}
          <RelativeTime at={since} />
        </>
      }
      action={
        !current && (
          <Form method="post">
            <input type="hidden" name="session" value={id} />
            <RowButton intent="end-session" subject={device}>
              End session
            </RowButton>
          </Form>
        )
      }
    />
  );
}
