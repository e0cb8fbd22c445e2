import { Link, useActionData } from '@remix-run/react';
import { hrefs } from '#app/lib/hrefs.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { TextField } from '#app/ui/form.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

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
          <Link to={hrefs.review.signIn()}>start over</Link>.
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
