import type { MetaFunction } from '@remix-run/node';
import { CARD, cardAlt, nameStatus } from '#app/features/registry/badge.ts';
import type { loadName } from '#app/features/registry/name-page.server.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { NETWORK_NAME } from '#app/lib/network.tsx';
import type { PageHandle } from '#app/lib/page-handle.ts';
import { feedLink, pageMeta } from '#app/lib/page-meta.ts';

export const handle: PageHandle = { shared: true };

export { loadName as loader } from '#app/features/registry/name-page.server.ts';
export { NamePage as default } from '#app/features/registry/name-page.tsx';
export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction<typeof loadName> = ({ data }) => {
  if (!data?.entry)
    return [
      ...pageMeta('Name not active', 'Whether a name that isn’t active is available.'),
      { name: 'robots', content: 'noindex' },
    ];
  const { entry, name, origin } = data;
  return [
    ...pageMeta(
      entry.label === name ? name : `${name}: ${entry.label}`,
      `${name} is an active name of the mesh (${entry.kinds.join(' and ')}, class ${entry.class}, region ${entry.region}). Current state: ${nameStatus(entry).text}.`,
      `${origin}${hrefs.name(name)}`,
      // Other sites fetch the picture by its whole URL, which only the operator knows for sure.
      data.shared
        ? { ...CARD, path: hrefs.card(name), alt: cardAlt(NETWORK_NAME, entry) }
        : undefined,
    ),
    feedLink(name, hrefs.nameFeed(name)),
  ];
};
