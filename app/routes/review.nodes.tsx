import type { MetaFunction } from '@remix-run/node';
import { changeNodes, loadNodes } from '#app/features/review/nodes/nodes-page.server.ts';
import { NodesPage } from '#app/features/review/nodes/nodes-page.tsx';

export const loader = loadNodes;
export const action = changeNodes;
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'Nodes · Mesh Registry' }];

export default NodesPage;
