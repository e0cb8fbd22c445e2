import type { MetaFunction } from '@remix-run/node';

export {
  changeReservedNames as action,
  loadReservedNames as loader,
} from '#app/features/review/names/names-page.server.ts';
export { NamesPage as default } from '#app/features/review/names/names-page.tsx';
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';
import { pageTitle } from '#app/lib/network.tsx';

export const meta: MetaFunction = () => [{ title: pageTitle('Reserved names') }];
