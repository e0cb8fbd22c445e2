import {
  data,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import {
  Link,
  useActionData,
  useLoaderData,
  type ClientActionFunctionArgs,
} from '@remix-run/react';
import { PERSON_NAME_MAX } from '#server/accounts/values.schema.ts';
import type { Invitation } from '#server/accounts/index.ts';
import { ExactTime } from '#app/ui/exact-time.tsx';
import card from '#app/ui/card.module.css';
import { Page } from '#app/ui/page.tsx';
import { TextField, NewPassword, ActionForm } from '#app/ui/form.tsx';
import { formErrorOf } from '#app/lib/form-error.ts';
import { handleForm, textOf } from '#app/lib/form-action.server.ts';
import { offlineAction } from '#app/lib/stale-while-offline.ts';
import { formHeaders, goWith } from '#app/features/review/accounts/sign-in.server.ts';

export async function loader({ params, context }: LoaderFunctionArgs) {
  const invitation = await context.services.accounts.invitation(params['token'] ?? '');
  return data({ invitation }, invitation ? 200 : 404);
}

export async function action(args: ActionFunctionArgs) {
  const { request, params, context } = args;
  return handleForm(args, async (form) => {
    const { accounts } = context.services;
    const email = await accounts.join(params['token'] ?? '', Object.fromEntries(form));
    const password = textOf(form, 'password');
    const { cookies } = await accounts.signIn({ email, password }, request.headers);
    return goWith(cookies, '/review');
  });
}

export const clientAction = (args: ClientActionFunctionArgs) =>
  offlineAction(
    args,
    () =>
      'Send it again. If the link is then no longer good, the password holds already: sign in with it.',
  );

export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Your account · Mesh Registry' }];

export default function JoinPage() {
  const { invitation } = useLoaderData<typeof loader>();
  return invitation ? <Join invitation={invitation} /> : <NotGood />;
}

function Join({ invitation }: { invitation: Invitation }) {
  const problem = formErrorOf(useActionData<typeof action>());
  const { email, role, renews, invitedBy, expiresAt } = invitation;
  return (
    <Page
      className="sign-in"
      title={renews ? 'A new password' : 'Create your account'}
      intro={
        renews
          ? `For ${email}. The second factor will be off, and every other session over.`
          : email === null
            ? 'The first account of this registry: yours, as administrator.'
            : `For ${email}, as ${role}.`
      }
    >
      <ActionForm
        className={card.padded}
        problem={problem}
        submitLabel={renews ? 'Set the password and sign in' : 'Create your account and sign in'}
        look="primary"
      >
        {!renews && (
          <TextField
            label="Name"
            name="name"
            autoComplete="name"
            maxLength={PERSON_NAME_MAX}
            hint="As the other reviewers call you."
            required
          />
        )}
        {email === null ? (
          <TextField
            label="E-mail address"
            name="email"
            type="email"
            autoComplete="username"
            hint="You sign in with it, and the history names you by it."
            required
          />
        ) : (
          // For password managers, which keep the two together. Nothing is read from it.
          <input type="hidden" autoComplete="username" value={email} readOnly />
        )}
        <NewPassword name="password" />
      </ActionForm>
      <p className="secondary">
        {invitedBy === 'system' ? 'This link' : `This link by ${invitedBy}`} is good once, until{' '}
        <ExactTime at={expiresAt} />.
      </p>
    </Page>
  );
}

function NotGood() {
  return (
    <Page
      title="This link is not good any more"
      intro="It was used, withdrawn or replaced by a newer one, it is too old, or a part of it is missing."
    >
      <p>
        Ask the administrator who sent it for a new one. Who runs the service can make one with{' '}
        <code>npm run reviewer</code>.
      </p>
      <p>
        <Link to="/review/sign-in">Sign in</Link>, if you have an account already.
      </p>
    </Page>
  );
}
