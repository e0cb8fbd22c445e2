import type { MetaFunction } from '@remix-run/node';

export {
  changeNodes as action,
  loadNodes as loader,
} from '#app/features/review/nodes/nodes-page.server.ts';
export { NodesPage as default } from '#app/features/review/nodes/nodes-page.tsx';
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';
import { pageTitle } from '#app/lib/network.tsx';

export const meta: MetaFunction = () => [{ title: pageTitle('Nodes') }];
