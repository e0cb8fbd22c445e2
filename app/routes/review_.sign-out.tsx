import { redirect, type ActionFunctionArgs } from '@remix-run/node';
import { useActionData } from '@remix-run/react';
import { Page } from '#app/ui/page.tsx';

import { formErrorOf } from '#app/lib/form-error.ts';
import { handleForm } from '#app/lib/form-action.server.ts';
import { goWith } from '#app/features/review/accounts/sign-in.server.ts';

/** Only a form signs out: a link from elsewhere does nothing. */
export const loader = () => redirect('/review');

export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  return handleForm(args, async () =>
    goWith(await context.services.reviewers.signOut(request.headers), '/review/sign-in'),
  );
}

/** Only seen where it failed, as while the database is away. */
export default function SignOut() {
  const problem = formErrorOf(useActionData<typeof action>());
  return <Page title="You are still signed in" intro={problem?.error} />;
}
