import type { MetaFunction } from '@remix-run/node';
import { loadNetwork } from '#app/features/network/network-page.server.ts';
import { NetworkPage } from '#app/features/network/network-page.tsx';
import type { PageHandle } from '#app/lib/page-handle.ts';
import { pageMeta } from '#app/lib/page-meta.ts';

export const handle: PageHandle = { shared: true };

export const loader = loadNetwork;

export const meta: MetaFunction = () =>
  pageMeta(
    'Network',
    'Whose signatures count in this network, which peers are banned, what the public log contains, and how to check all of it yourself.',
  );

export default NetworkPage;
