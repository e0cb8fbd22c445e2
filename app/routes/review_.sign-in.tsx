import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { useActionData, useLoaderData, type ClientActionFunctionArgs } from '@remix-run/react';
import card from '#app/ui/card.module.css';
import { Page } from '#app/ui/page.tsx';
import text from '#app/ui/text.module.css';
import { TextField, CurrentPassword, ActionForm } from '#app/ui/form.tsx';
import { formErrorOf } from '#app/lib/form-error.ts';
import { handleForm, textOf } from '#app/lib/form-action.server.ts';
import { offlineAction } from '#app/lib/stale-while-offline.ts';
import { nextOf } from '#app/features/review/review.server.ts';
import { formHeaders, goWith } from '#app/features/review/accounts/sign-in.server.ts';

export async function loader({ request, context }: LoaderFunctionArgs) {
  if (await context.reviewer()) return redirect(nextOf(request));
  /** A form was sent when the session had ended. */
  return { unsent: new URL(request.url).searchParams.has('unsent') };
}

export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  return handleForm(args, async (form) => {
    const email = textOf(form, 'email');
    const password = textOf(form, 'password');
    const next = nextOf(request);
    const { cookies, secondFactor } = await context.limits.password(context.client(), email, () =>
      context.services.accounts.signIn({ email, password }, request.headers),
    );
    return goWith(
      cookies,
      secondFactor ? `/review/second-factor?next=${encodeURIComponent(next)}` : next,
    );
  });
}

export const clientAction = (args: ClientActionFunctionArgs) =>
  offlineAction(args, () => 'Send it again.');

export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Sign in to review · Mesh Registry' }];

export default function SignIn() {
  const { unsent } = useLoaderData<typeof loader>();
  const problem = formErrorOf(useActionData<typeof action>());
  return (
    <Page className="sign-in" title="Sign in to review" intro="For those who review registrations.">
      <ActionForm className={card.padded} problem={problem} submitLabel="Sign in" look="primary">
        {unsent && !problem && (
          <p className={text.error} role="alert">
            Your session has ended, and your last change was not made. Sign in and send it again.
          </p>
        )}
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete="username"
          required
        />
        <CurrentPassword label="Password" />
      </ActionForm>
      <p className="secondary">
        Accounts come by invitation. Lost the password or the second factor? Ask an administrator
        for a new access link.
      </p>
    </Page>
  );
}
