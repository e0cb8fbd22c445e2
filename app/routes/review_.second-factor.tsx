import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { Link, useActionData, type ClientActionFunctionArgs } from '@remix-run/react';
import card from '#app/ui/card.module.css';
import { Page } from '#app/ui/page.tsx';
import { TextField, ActionForm } from '#app/ui/form.tsx';
import { formErrorOf } from '#app/lib/form-error.ts';
import { handleForm, textOf } from '#app/lib/form-action.server.ts';
import { offlineAction } from '#app/lib/stale-while-offline.ts';
import { nextOf } from '#app/features/review/review.server.ts';
import { formHeaders, goWith } from '#app/features/review/accounts/sign-in.server.ts';

const toStart = (request: Request) =>
  redirect(`/review/sign-in?next=${encodeURIComponent(nextOf(request))}`, { status: 303 });

export async function loader({ request, context }: LoaderFunctionArgs) {
  if (await context.reviewer()) return redirect(nextOf(request));
  if (!(await context.services.accounts.awaitsSecondFactor(request.headers)))
    return toStart(request);
  return null;
}

export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  return handleForm(args, async (form) => {
    const { accounts } = context.services;
    if (!(await accounts.awaitsSecondFactor(request.headers))) return toStart(request);
    const { cookies } = await context.limits.code(context.client(), () =>
      accounts.secondFactor(textOf(form, 'code'), request.headers),
    );
    return goWith(cookies, nextOf(request));
  });
}

/** A code may have been used, though its answer was lost. */
export const clientAction = (args: ClientActionFunctionArgs) =>
  offlineAction(args, () => 'Send the next code that your app shows.');

export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Second factor · Mesh Registry' }];

export default function SecondFactor() {
  const problem = formErrorOf(useActionData<typeof action>());
  return (
    <Page
      className="sign-in"
      title="Second factor"
      intro="The code that your authenticator app shows now."
    >
      <ActionForm className={card.padded} problem={problem} submitLabel="Continue" look="primary">
        <TextField
          label="Code"
          name="code"
          hint="Six digits. Without the app: one of your recovery codes."
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={20}
          required
        />
      </ActionForm>
      <p className="secondary">
        Neither the app nor a recovery code? Ask an administrator for a new access link, or{' '}
        <Link to="/review/sign-in">start again</Link>.
      </p>
    </Page>
  );
}
