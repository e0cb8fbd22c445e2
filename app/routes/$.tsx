import type { MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import type { loadMissing } from '#app/features/search/missing.server.ts';
import { pageMeta } from '#app/lib/page-meta.ts';
import { MissingPage } from '#app/ui/missing-page.tsx';

/** Every address that is no page's. */
export { loadMissing as loader } from '#app/features/search/missing.server.ts';

export const meta: MetaFunction = () => [
  ...pageMeta('Page not found', 'This page doesn’t exist.'),
  { name: 'robots', content: 'noindex' },
];

export default function Missing() {
  return <MissingPage instead={useLoaderData<typeof loadMissing>()} />;
}
