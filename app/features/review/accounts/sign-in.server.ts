import { data, redirect, type ActionFunctionArgs, type LoaderFunctionArgs } from '@remix-run/node';
import * as hrefs from '#app/lib/hrefs.ts';
import { formValues, handleForm } from '#app/lib/form-action.server.ts';
import { TOKEN_MAX } from '#server/accounts/accounts.schema.ts';
import { nextOf } from '../review.server.ts';

/** What the pages load and do for somebody who isn't signed in: sign in with a password and a code, and join. */

/** GET /review/sign-in. `unsent`: a form was sent after the session had ended. */
export async function loadSignIn({ request, context }: LoaderFunctionArgs) {
  if (await context.reviewer()) return redirect(nextOf(request));
  return { unsent: new URL(request.url).searchParams.has('unsent') };
}

/** POST /review/sign-in: the password. A code is asked for where the account has a second factor. */
export const signIn = (args: ActionFunctionArgs) =>
  handleForm(args, async (form) => {
    const { email = '', password = '' } = formValues(form);
    const { secondFactor } = await args.context.api.review.session.signIn({ email, password });
    const next = nextOf(args.request);
    const code = hrefs.review.signInCode(next);
    return redirect(secondFactor ? code : next, 303);
  });

/** For a browser without the password step, or with one too long ago. */
const startOver = (request: Request) => redirect(hrefs.signIn(nextOf(request)), 303);

/** GET /review/second-factor. */
export async function loadSignInCode({ request, context }: LoaderFunctionArgs) {
  if (await context.reviewer()) return redirect(nextOf(request));
  return (await context.api.review.session.awaitsSecondFactor()) ? null : startOver(request);
}

/** POST /review/second-factor: the code of an app, or a recovery code. */
export const signInWithCode = (args: ActionFunctionArgs) =>
  handleForm(args, async (form) => {
    const { request, context } = args;
    const { session } = context.api.review;
    if (!(await session.awaitsSecondFactor())) return startOver(request);
    const { code = '' } = formValues(form);
    await session.secondFactor({ code });
    return redirect(nextOf(request), 303);
  });

/** POST /review/sign-out. */
export const signOut = (args: ActionFunctionArgs) =>
  handleForm(args, async () => {
    await args.context.api.review.session.signOut();
    return redirect(hrefs.signIn(), 303);
  });

/** GET /review/join/:token: whom the link invites. null and 404 once it can't be used. */
export async function loadInvitation({ params, context }: LoaderFunctionArgs) {
  const invitation = await context.api.review.join.get({ token: tokenOf(params) });
  return data({ invitation }, invitation ? 200 : 404);
}

/** A text that is too long for a token finds no link either way. */
const tokenOf = ({ token = '' }: LoaderFunctionArgs['params']) => token.slice(0, TOKEN_MAX);

/** POST /review/join/:token: the account that the invited person fills in. */
export const join = (args: ActionFunctionArgs) =>
  handleForm(args, async (form) => {
    const { password = '', ...account } = formValues(form);
    await args.context.api.review.join.accept({
      ...account,
      password,
      token: tokenOf(args.params),
    });
    return redirect(hrefs.review.queue(), 303);
  });
