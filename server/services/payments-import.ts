import { and, inArray, isNotNull, isNull, type SQL } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { withRetry } from '../../db/retry.ts';
import { payments } from '../../db/schema.ts';
import { recordAction } from './actions.ts';
import type { ServiceContext } from './context.ts';
import { readPayments, type Mapping, type UnknownFile } from './payment-export.ts';
import { noteKey } from './payment.ts';
import { PAYMENT_COLUMNS, type Payment } from './payments.ts';

/** What an export has of payments is kept here. */

/** What became of a file. `fresh` were not known before. */
export interface ImportReport {
  kind: 'imported';
  rows: number;
  payments: number;
  fresh: number;
  known: number;
  outgoing: number;
  other: number;
  incomplete: number;
  unreadable: { line: number; why: string }[];
  /** Kept from an earlier file as completed, and in this one no more: failed, cancelled, or given back. */
  undone: Payment[];
  /** Completed in this file, and no more in an earlier one: they go on to count for nothing. */
  stillUndone: Payment[];
}

/** Rows per statement: one has at most 65,535 parameters. */
const INSERT_ROWS = 5000;

/**
 * Keeps the incoming payments of an export, all or none. The same file twice changes nothing; two at once
 * are as one after the other.
 * @throws AppError as readPayments, `unavailable`
 */
export async function importPayments(
  s: ServiceContext,
  { text, mapping }: { text: string; mapping?: Mapping | undefined },
  reviewer: string,
  now = s.clock(),
): Promise<ImportReport | UnknownFile> {
  const file = readPayments(text, mapping);
  if (file.kind === 'unknown') return file;
  const rows = file.payments
    .map((payment) => ({ ...payment, noteKey: noteKey(payment.note) }))
    // In one order everywhere: two imports of the same rows wait for each other, and not in a circle.
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const { rows: total, outgoing, other, incomplete, unreadable } = file;
  const counts = { rows: total, payments: rows.length, outgoing, other, incomplete, unreadable };

  return withRetry(() =>
    s.db.transaction(async (tx) => {
      const fresh = new Set<string>();
      for (const part of slices(rows)) {
        const added = tx.insert(payments).values(part).onConflictDoNothing();
        for (const { id } of await added.returning({ id: payments.id })) fresh.add(id);
      }
      const gone = new Set(file.takenBack);
      const known = rows.map(({ id }) => id).filter((id) => !fresh.has(id) && !gone.has(id));
      const stillUndone = await kept(tx, known, isNotNull(payments.reversedAt));
      const reversed = await reverse(tx, file.takenBack, now);
      if (fresh.size > 0 || reversed > 0)
        await recordAction(
          tx,
          {
            actor: reviewer,
            action: 'payments_imported',
            subject: 'payments',
            reason: `${fresh.size} new of ${rows.length} payments in ${total} rows${
              reversed > 0 ? `; ${reversed} known before, no longer completed` : ''
            }`,
          },
          now,
        );
      return {
        kind: 'imported' as const,
        ...counts,
        fresh: fresh.size,
        known: rows.length - fresh.size,
        undone: await kept(tx, file.takenBack),
        stillUndone,
      };
    }),
  );
}

function* slices<T>(rows: T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += INSERT_ROWS) yield rows.slice(at, at + INSERT_ROWS);
}

/** @returns how many were completed until now */
async function reverse(db: Db, ids: string[], now: number): Promise<number> {
  let reversed = 0;
  for (const part of slices(ids))
    reversed += (
      await db
        .update(payments)
        .set({ reversedAt: new Date(now) })
        .where(and(inArray(payments.id, part), isNull(payments.reversedAt)))
        .returning({ id: payments.id })
    ).length;
  return reversed;
}

async function kept(db: Db, ids: string[], which?: SQL): Promise<Payment[]> {
  const found: Payment[] = [];
  for (const part of slices(ids)) {
    const { noteKey: _, ...columns } = PAYMENT_COLUMNS;
    const its = and(inArray(payments.id, part), which);
    found.push(...(await db.select(columns).from(payments).where(its)));
  }
  return found;
}
