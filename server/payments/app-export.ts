import { readCurrency, readMoment, readMoney } from './cells.ts';
import type { Row } from './csv-table.ts';
import {
  contentOf,
  isId,
  NO_AMOUNT,
  NO_DATE,
  NO_ID,
  stateOf,
  unreadable,
  type ReadRow,
} from './export-row.ts';

/** The payment app's own export, recognised by the names of its columns. */

const APP_COLUMNS = {
  id: 'transaction id',
  date: 'date',
  type: 'transaction type',
  currency: 'currency',
  amount: 'amount',
  asset: 'asset type',
  status: 'status',
  note: 'notes',
} as const;
export type AppColumns = Record<keyof typeof APP_COLUMNS, number>;

/** Their positions, if all of them are present. */
export function appColumns(columns: string[]): AppColumns | null {
  const names = columns.map((column) => column.toLowerCase());
  const found = Object.entries(APP_COLUMNS).map(
    ([key, name]) => [key, names.indexOf(name)] as const,
  );
  return found.some(([, at]) => at < 0) ? null : (Object.fromEntries(found) as AppColumns);
}

/** The exporter's own money, or the app's, which never pays a fee. */
const NOT_FROM_A_PAYER =
  /bitcoin|btc|stock|boost|cash ?out|cash ?in|deposit|saving|transfer|withdraw|card|interest|dividend|borrow|loan|refund|reward|round/i;

export function readAppRow({ cells }: Row, at: AppColumns): ReadRow {
  const cell = (key: keyof AppColumns) => cells[at[key]] ?? '';
  const asset = readCurrency(cell('asset'));
  if (readCurrency(cell('currency')) !== 'USD' || (asset !== null && asset !== 'USD'))
    return { kind: 'other' };
  const money = readMoney(cell('amount'));
  if (!money) return unreadable(NO_AMOUNT);
  if (money.cents < 0) return { kind: 'outgoing' };
  if (money.cents === 0 || NOT_FROM_A_PAYER.test(cell('type'))) return { kind: 'other' };
  const id = cell('id');
  if (!isId(id)) return unreadable(NO_ID);
  const state = stateOf(cell('status'));
  if (state === 'pending') return { kind: 'incomplete' };
  if (state === 'reversed') return { kind: 'reversed', of: id };
  const content = contentOf(readMoment(cell('date'), 'ymd'), money.cents, cell('note'));
  return content ? { kind: 'payment', id, content } : unreadable(NO_DATE);
}
