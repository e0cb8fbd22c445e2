import type { MetaFunction } from '@remix-run/node';

export {
  paymentsAction as action,
  loadPayments as loader,
} from '#app/features/review/payments/payments.server.ts';
export { PaymentsPage as default } from '#app/features/review/payments/payments-page.tsx';
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';
import { pageTitle } from '#app/lib/network.tsx';

export const meta: MetaFunction = () => [{ title: pageTitle('Payments') }];
