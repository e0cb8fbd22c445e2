import type { MetaFunction } from '@remix-run/node';
import { PaymentsPage } from '#app/features/review/payments/payments-page.tsx';
import { loadPayments, paymentsAction } from '#app/features/review/payments/payments.server.ts';

export const loader = loadPayments;
export const action = paymentsAction;
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'Payments · Mesh Registry' }];

export default PaymentsPage;
