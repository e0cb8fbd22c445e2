import { useActionData } from '@remix-run/react';
import { formErrorOf } from '#app/lib/form-error.ts';
import { CurrentPassword, TextField } from '#app/ui/form.tsx';
import text from '#app/ui/text.module.css';
import { SignInFrame } from './sign-in-frame.tsx';

/** @param unsent a form was sent after the session had ended */
export function SignInPage({ unsent }: { unsent: boolean }) {
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
