import { redirect, type MetaFunction } from '@remix-run/node';
import { Link, useActionData } from '@remix-run/react';
import { signOut } from '#app/features/review/accounts/sign-in.server.ts';
import { formHeaders } from '#app/features/review/review.server.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { pageTitle } from '#app/lib/network.tsx';
import { ActionForm } from '#app/ui/form.tsx';
import { Page } from '#app/ui/page.tsx';

/** Only a form signs out: a link from elsewhere does nothing. */
export const loader = () => redirect(hrefs.review.queue());

export const action = signOut;

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: pageTitle('Sign out') }];

/** Shown only without scripts, and only if signing out failed, such as while the database is unavailable. */
export default function SignOut() {
  const problem = formErrorOf(useActionData<typeof action>());
  return (
    <Page title="You’re still signed in">
      <ActionForm problem={problem} submitLabel="Sign out">
        <p>
          <Link to={hrefs.review.queue()}>Back to the queue</Link>
        </p>
      </ActionForm>
    </Page>
  );
}
