import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { readReviewSearch } from '#server/review/search.schema.ts';
import { RegistrationsPage } from '#app/features/review/registrations/registrations-page.tsx';
import { requireReviewer } from '#app/features/review/review.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const search = readReviewSearch(new URL(args.request.url).searchParams);
  return { ...(await args.context.api.review.registrations.list(search)), search };
}
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'Registrations · Mesh Registry' }];

export default function Registrations() {
  return <RegistrationsPage list={useLoaderData<typeof loader>()} />;
}
