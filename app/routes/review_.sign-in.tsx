import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { useLoaderData, type ClientActionFunctionArgs } from '@remix-run/react';
import { formHeaders } from '#app/features/review/accounts/form-headers.server.ts';
import { SignInPage } from '#app/features/review/accounts/sign-in-page.tsx';
import { nextOf } from '#app/features/review/review.server.ts';
import { formValues, handleForm } from '#app/lib/form-action.server.ts';
import { offlineAction } from '#app/lib/stale-while-offline.ts';

export async function loader({ request, context }: LoaderFunctionArgs) {
  if (await context.reviewer()) return redirect(nextOf(request));
  return { unsent: new URL(request.url).searchParams.has('unsent') };
}

export const action = (args: ActionFunctionArgs) =>
  handleForm(args, async (form) => {
    const { email = '', password = '' } = formValues(form);
    const { secondFactor } = await args.context.api.review.session.signIn({ email, password });
    const next = nextOf(args.request);
    const code = `/review/second-factor?next=${encodeURIComponent(next)}`;
    return redirect(secondFactor ? code : next, 303);
  });
export const clientAction = (args: ClientActionFunctionArgs) =>
  offlineAction(args, () => 'Send it again.');
export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Reviewer sign-in · Mesh Registry' }];

export default function SignIn() {
  return <SignInPage {...useLoaderData<typeof loader>()} />;
}
