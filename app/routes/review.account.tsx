import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { accountAction } from '#app/features/review/accounts/account-action.server.ts';
import { AccountPage } from '#app/features/review/accounts/account-page.tsx';
import { formHeaders } from '#app/features/review/accounts/form-headers.server.ts';
import { requireReviewer } from '#app/features/review/review.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const { own } = args.context.api.review.accounts;
  const [account, sessions] = await Promise.all([own.get(), own.sessions()]);
  return { ...account, sessions, updatedAt: new Date().toISOString() };
}
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const action = accountAction;
export { accountClientAction as clientAction } from '#app/features/review/accounts/lost-answer.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Your account · Mesh Registry' }];

export default function Account() {
  return <AccountPage {...useLoaderData<typeof loader>()} />;
}
