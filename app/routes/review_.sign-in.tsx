import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import {
  Form,
  useActionData,
  useLoaderData,
  useNavigation,
  type ClientActionFunctionArgs,
} from '@remix-run/react';
import { Page } from '#app/ui/page.tsx';
import { Field, PresentPassword, Problem, problemOf } from '#app/ui/form.tsx';
import { submit, textOf } from '#app/lib/form-action.server.ts';
import { keptAction } from '#app/lib/stale-while-offline.ts';
import { nextOf } from '#app/features/review/review.server.ts';
import { formHeaders, goWith } from '#app/features/review/accounts/sign-in.server.ts';

export async function loader({ request, context }: LoaderFunctionArgs) {
  if (await context.reviewer()) return redirect(nextOf(request));
  /** A form was sent when the session had ended. */
  return { unsent: new URL(request.url).searchParams.has('unsent') };
}

export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  return submit(args, async (form) => {
    const email = textOf(form, 'email');
    const password = textOf(form, 'password');
    const next = nextOf(request);
    const { cookies, secondFactor } = await context.limits.password(context.client(), email, () =>
      context.services.reviewers.signIn({ email, password }, request.headers),
    );
    return goWith(
      cookies,
      secondFactor ? `/review/second-factor?next=${encodeURIComponent(next)}` : next,
    );
  });
}

export const clientAction = (args: ClientActionFunctionArgs) =>
  keptAction(args, () => 'Send it again.');

export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Sign in to review · Mesh Registry' }];

export default function SignIn() {
  const { unsent } = useLoaderData<typeof loader>();
  const problem = problemOf(useActionData<typeof action>());
  const busy = useNavigation().state !== 'idle';
  return (
    <Page className="sign-in" title="Sign in to review" intro="For those who review registrations.">
      <Form method="post" className="card form">
        {unsent && !problem && (
          <p className="form-error" role="alert">
            Your session has ended; what you sent was not done. Sign in, and send it again.
          </p>
        )}
        <Problem problem={problem} />
        <Field
          label="E-mail address"
          name="email"
          type="email"
          autoComplete="username"
          problem={problem}
          required
        />
        <PresentPassword label="Password" problem={problem} />
        <button className="button primary" aria-disabled={busy}>
          Sign in
        </button>
      </Form>
      <p className="secondary">
        Accounts come by invitation. Lost the password or the second factor? Ask an administrator
        for a new access link.
      </p>
    </Page>
  );
}
