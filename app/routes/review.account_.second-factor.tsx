import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { formHeaders } from '#app/features/review/accounts/form-headers.server.ts';
import { secondFactorAction } from '#app/features/review/accounts/second-factor-action.server.ts';
import { SecondFactorPage } from '#app/features/review/accounts/second-factor-page.tsx';
import { requireReviewer } from '#app/features/review/review.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  const { email, twoFactorEnabled } = await requireReviewer(args);
  return { email, twoFactorEnabled };
}
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const action = secondFactorAction;
export { accountClientAction as clientAction } from '#app/features/review/accounts/lost-answer.ts';

export const headers = formHeaders;
export const meta: MetaFunction = () => [{ title: 'Second factor · Mesh Registry' }];

export default function SecondFactor() {
  return <SecondFactorPage {...useLoaderData<typeof loader>()} />;
}
