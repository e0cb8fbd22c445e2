import {
  data,
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { useLoaderData, type ClientActionFunctionArgs } from '@remix-run/react';
import { formHeaders } from '#app/features/review/accounts/form-headers.server.ts';
import { JoinPage } from '#app/features/review/accounts/join-page.tsx';
import { formValues, handleForm } from '#app/lib/form-action.server.ts';
import { offlineAction } from '#app/lib/stale-while-offline.ts';

export async function loader({ params: { token = '' }, context }: LoaderFunctionArgs) {
  const invitation = await context.api.review.join.get({ token });
  return data({ invitation }, invitation ? 200 : 404);
}

export const action = (args: ActionFunctionArgs) =>
  handleForm(args, async (form) => {
    const { token = '' } = args.params;
    const { password = '', ...account } = formValues(form);
    await args.context.api.review.join.accept({ ...account, password, token });
    return redirect('/review', 303);
  });
export const clientAction = (args: ClientActionFunctionArgs) =>
  offlineAction(
    args,
    () =>
      'Send it again. If the link no longer works then, your password is already set; sign in with it.',
  );
export { unlessRefused as shouldRevalidate } from '#app/lib/stale-while-offline.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Your account · Mesh Registry' }];

export default function Join() {
  return <JoinPage invitation={useLoaderData<typeof loader>().invitation} />;
}
