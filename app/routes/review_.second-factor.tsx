import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import type { ClientActionFunctionArgs } from '@remix-run/react';
import { formHeaders } from '#app/features/review/accounts/form-headers.server.ts';
import { SignInCodePage } from '#app/features/review/accounts/sign-in-code-page.tsx';
import { nextOf } from '#app/features/review/review.server.ts';
import { formValues, handleForm } from '#app/lib/form-action.server.ts';
import { offlineAction } from '#app/lib/stale-while-offline.ts';

/** For a browser without the password step, or with one too long ago. */
const startOver = (request: Request) =>
  redirect(`/review/sign-in?next=${encodeURIComponent(nextOf(request))}`, 303);

export async function loader({ request, context }: LoaderFunctionArgs) {
  if (await context.reviewer()) return redirect(nextOf(request));
  return (await context.api.review.session.awaitsSecondFactor()) ? null : startOver(request);
}

export const action = (args: ActionFunctionArgs) =>
  handleForm(args, async (form) => {
    const { request, context } = args;
    const { session } = context.api.review;
    if (!(await session.awaitsSecondFactor())) return startOver(request);
    const { code = '' } = formValues(form);
    await session.secondFactor({ code });
    return redirect(nextOf(request), 303);
  });
/** The code may have been used although its answer was lost. */
export const clientAction = (args: ClientActionFunctionArgs) =>
  offlineAction(args, () => 'Enter the next code your app shows.');
export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Second factor · Mesh Registry' }];

export default SignInCodePage;
