import { Link, useActionData, useLoaderData } from '@remix-run/react';
import type { ReactNode } from 'react';
import { formErrorOf } from '#app/lib/form-error.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import card from '#app/ui/card.module.css';
import { ActionForm, CurrentPassword, TextField, type FormProblem } from '#app/ui/form.tsx';
import { Page } from '#app/ui/page.tsx';
import text from '#app/ui/text.module.css';
import styles from './sign-in-page.module.css';
import type { loadSignIn } from './sign-in.server.ts';

/** The first step of signing in. */
export function SignInPage() {
  const { unsent } = useLoaderData<typeof loadSignIn>();
  const problem = formErrorOf(useActionData());
  return (
    <SignInFrame
      title="Reviewer sign-in"
      intro="For people who review registrations."
      problem={problem}
      submitLabel="Sign in"
      note="Accounts are by invitation. Lost your password or second factor? Ask an administrator for a new access link."
    >
      {unsent && !problem && (
        <p className={text.error} role="alert">
          Your session has ended, so your last change was not made. Sign in, then make it again.
        </p>
      )}
      <TextField label="Email address" name="email" type="email" autoComplete="username" required />
      <CurrentPassword label="Password" />
    </SignInFrame>
  );
}

/** The second step of signing in, for accounts with a second factor. */
export function SignInCodePage() {
  return (
    <SignInFrame
      title="Second factor"
      intro="Enter the code your authenticator app shows now."
      problem={formErrorOf(useActionData())}
      submitLabel="Continue"
      note={
        <>
          No app and no recovery code? Ask an administrator for a new access link, or{' '}
          <Link to={hrefs.signIn()}>start over</Link>.
        </>
      }
    >
      <TextField
        label="Code"
        name="code"
        hint="Six digits. Without the app, use one of your recovery codes."
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={20}
        required
      />
    </SignInFrame>
  );
}

interface SignInFrameProps {
  title: string;
  intro: string;
  problem: FormProblem | undefined;
  submitLabel: string;
  /** Help below the form. */
  note: ReactNode;
  children: ReactNode;
}

/** A page with one narrow form, for the steps of signing in. */
export function SignInFrame({
  title,
  intro,
  problem,
  submitLabel,
  note,
  children,
}: SignInFrameProps) {
  return (
    <Page className={styles.page} title={title} intro={intro}>
      <ActionForm
        className={card.padded}
        problem={problem}
        submitLabel={submitLabel}
        look="primary"
      >
        {children}
      </ActionForm>
      <p className={`${text.secondary} ${styles.note}`}>{note}</p>
    </Page>
  );
}
