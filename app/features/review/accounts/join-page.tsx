import { Link, useActionData, useLoaderData } from '@remix-run/react';
import { SYSTEM, PERSON_NAME_MAX } from '@mesh-registry/protocol/values.schema.ts';
import type { Invitation } from '#server/accounts/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { ExactTime } from '#app/ui/moment.tsx';
import { NewPassword, TextField } from '#app/ui/form.tsx';
import { Page } from '#app/ui/page.tsx';
import styles from './join-page.module.css';
import { SignInFrame } from './sign-in-page.tsx';
import type { loadInvitation } from './sign-in.server.ts';

/** The page of a link that creates an account or renews access. */
export function JoinPage() {
  const { invitation } = useLoaderData<typeof loadInvitation>();
  return invitation ? <JoinForm {...invitation} /> : <InvalidLink />;
}

function JoinForm({ email, role, renews, invitedBy, expiresAt }: Invitation) {
  const problem = formErrorOf(useActionData());
  return (
    <SignInFrame
      title={renews ? 'New password' : 'Create your account'}
      intro={
        renews
          ? `For ${email}. This also turns off the second factor and ends all sessions.`
          : email === null
            ? 'The first account of this registry, as administrator.'
            : `For ${email}, as ${role}.`
      }
      problem={problem}
      submitLabel={renews ? 'Set password and sign in' : 'Create account and sign in'}
      note={
        problem?.code === 'not_found' ? (
          // It was used or withdrawn while the form was open.
          <Link to={hrefs.signIn()}>Sign in with an existing account</Link>
        ) : (
          <>
            {invitedBy === SYSTEM ? 'This link' : `This link from ${invitedBy}`} can be used once,
            until <ExactTime at={expiresAt} />.
          </>
        )
      }
    >
      {!renews && (
        <TextField
          label="Name"
          name="name"
          autoComplete="name"
          maxLength={PERSON_NAME_MAX}
          hint="Shown to other reviewers."
          required
        />
      )}
      {email === null ? (
        <TextField
          label="Email address"
          name="email"
          type="email"
          autoComplete="username"
          hint="You sign in with it, and the history records your decisions under it."
          required
        />
      ) : (
        // Password managers store it with the password. The service does not read it.
        <input type="hidden" autoComplete="username" value={email} />
      )}
      <NewPassword name="password" />
    </SignInFrame>
  );
}

function InvalidLink() {
  return (
    <Page
      title="This link no longer works"
      intro="It was used, withdrawn or replaced by a newer one, it has expired, or part of it is missing."
    >
      <div className={styles.wayOut}>
        <p>
          <Link to={hrefs.signIn()}>Sign in</Link> if you already have an account.
        </p>
        <p>
          Otherwise, ask the administrator who sent it for a new one. If you run the service, you
          can create one with <code>npm run reviewer</code>.
        </p>
      </div>
    </Page>
  );
}
