import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { readSearch } from '#server/registry/search.schema.ts';
import { feedLink, NEW_NAMES_FEED } from '#app/features/feeds/paths.ts';
import { RegistryPage } from '#app/features/registry/registry-page.tsx';
import { pageMeta } from '#app/lib/page-meta.ts';

export async function loader({ request, context: { services, origin } }: LoaderFunctionArgs) {
  const search = readSearch(new URL(request.url).searchParams);
  const { entries, ...found } = services.registry.search(search);
  const uptimes = await services.meshHistory.monthShares(entries.map(({ nodeId }) => nodeId));
  const rows = entries.map((entry) => ({ ...entry, uptime: uptimes.get(entry.nodeId) ?? null }));
  return { ...found, rows, search, origin: origin() };
}

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  ...pageMeta(
    'Registry',
    'Every active name of the mesh, with the current state of its node and its compute offer.',
    data && `${data.origin}/registry`,
  ),
  feedLink('New names', NEW_NAMES_FEED),
];

export default RegistryPage;
