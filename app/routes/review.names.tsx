import type { MetaFunction } from '@remix-run/node';
import {
  changeReservedNames,
  loadReservedNames,
} from '#app/features/review/names/names-page.server.ts';
import { NamesPage } from '#app/features/review/names/names-page.tsx';

export const loader = loadReservedNames;
export const action = changeReservedNames;
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'Reserved names · Mesh Registry' }];

export default NamesPage;
