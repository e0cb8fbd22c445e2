import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { Form, Link, useActionData, type ClientActionFunctionArgs } from '@remix-run/react';
import { Page } from '#app/ui/page.tsx';
import { Field, Problem, problemOf } from '#app/ui/form.tsx';
import { submit, textOf } from '#app/lib/form-action.server.ts';
import { keptAction } from '#app/lib/stale-while-offline.ts';
import { nextOf } from '#app/features/review/review.server.ts';
import { formHeaders, goWith } from '#app/features/review/accounts/sign-in.server.ts';

const toStart = (request: Request) =>
  redirect(`/review/sign-in?next=${encodeURIComponent(nextOf(request))}`, { status: 303 });

export async function loader({ request, context }: LoaderFunctionArgs) {
  if (await context.reviewer()) return redirect(nextOf(request));
  if (!(await context.services.reviewers.waitsForSecondFactor(request.headers)))
    return toStart(request);
  return null;
}

export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  return submit(args, async (form) => {
    const { reviewers } = context.services;
    if (!(await reviewers.waitsForSecondFactor(request.headers))) return toStart(request);
    const { cookies } = await context.limits.code(context.client(), () =>
      reviewers.secondFactor(textOf(form, 'code'), request.headers),
    );
    return goWith(cookies, nextOf(request));
  });
}

/** A code may have been used, though its answer was lost. */
export const clientAction = (args: ClientActionFunctionArgs) =>
  keptAction(args, () => 'Send the next code that your app shows.');

export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Second factor · Mesh Registry' }];

export default function SecondFactor() {
  const problem = problemOf(useActionData<typeof action>());
  return (
    <Page
      className="sign-in"
      title="Second factor"
      intro="The code that your authenticator app shows now."
    >
      <Form method="post" className="card form">
        <Problem problem={problem} />
        <Field
          label="Code"
          name="code"
          problem={problem}
          hint="Six digits. Without the app: one of your recovery codes."
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={20}
          required
        />
        <button className="button primary">Go on</button>
      </Form>
      <p className="secondary">
        Neither the app nor a recovery code? Ask an administrator for a new access link, or{' '}
        <Link to="/review/sign-in">start again</Link>.
      </p>
    </Page>
  );
}
