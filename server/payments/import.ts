import { and, isNull, sql } from 'drizzle-orm';
import { setImmediate as turn } from 'node:timers/promises';
import type { Db } from '#db/client.ts';
import { inTransaction, RETRY_AFTER_S, withRetry } from '#server/common/with-retry.ts';
import { payments } from '#db/schema/index.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import { recordAction } from '#server/audit/index.ts';
import type { ServiceContext } from '#server/context.ts';
import { decodeFile } from './csv-table.ts';
import type { Upload } from './import.schema.ts';
import { FILE_BYTES } from './payments.schema.ts';
import { readPayments, type ReadFile, type UnknownFile } from './read-export.ts';
import { noteKey } from '@mesh-registry/protocol/rest/payment-note.schema.ts';
import { asPayment, type Payment } from './match.ts';

/**
 * Stores the payments of an export, in parts: a file can have thousands, and a statement has little time. A part is one transaction with its entry in the history, so an interrupted import leaves
 * whole parts, and sending the same file again adds the others.
 */

/** Payments per part. */
const PART = 1000;

/** The result of an import. `fresh` payments were not known before. */
export interface ImportReport extends Omit<ReadFile, 'kind' | 'payments' | 'clashes' | 'reversed'> {
  kind: 'imported';
  payments: number;
  fresh: number;
  known: number;
  /** Completed in an earlier file, and failed, cancelled or refunded in this one. */
  reversed: Payment[];
  /** Completed in this file, but reversed by an earlier one: they stay reversed. */
  stillReversed: Payment[];
}

type StoredPayment = typeof payments.$inferSelect;

/** Adds a payment, or reverses the stored one with this id. */
type Change = { add: StoredPayment } | { reverse: string };

/** An export whose columns a person has to choose. Its text is stored nowhere, so the form sends it again. */
export type UnmappedExport = UnknownFile & { text: string };

/**
 * Stores the incoming payments of an export. The same file twice changes nothing; two at once store each payment
 * once.
 * @throws AppError `invalid_body`, `payload_too_large`, `unavailable` (a part of the file may be stored already)
 */
export async function importPayments(
  context: ServiceContext,
  { mapping, ...upload }: Upload,
  reviewer: string,
  now = context.clock(),
): Promise<ImportReport | UnmappedExport> {
  // The database stores no NUL.
  const text = (await textOf(upload)).replaceAll('\0', '');
  const file = readPayments(text, mapping);
  if (file.kind === 'unknown') return { ...file, text };
  const reversedIds = new Set(file.reversed);
  const rows = file.payments
    .map((payment): StoredPayment => ({
      ...payment,
      noteKey: noteKey(payment.note),
      // The file has it as both completed and reversed: it must not count as paid in between.
      reversedAt: reversedIds.has(payment.id) ? new Date(now) : null,
    }))
    .sort(byId);
  const known = await storedPayments(
    context.db,
    new Set([...rows.map(({ id }) => id), ...reversedIds]),
  );
  const added = rows.filter(({ id }) => !known.has(id));
  const changes: Change[] = [
    // First: if the rest fails, nobody is accepted for a refunded payment.
    ...[...known.values()]
      .filter(({ id, reversedAt }) => reversedIds.has(id) && reversedAt === null)
      .sort(byId)
      .map(({ id }) => ({ reverse: id })),
    ...added.map((add) => ({ add })),
  ];
  const fresh = await store(context, changes, { file, reviewer, now });

  const stillReversed = rows.filter(({ id }) => known.get(id)?.reversedAt && !reversedIds.has(id));
  const { rows: total, outgoing, other, incomplete, unreadable, skipped } = file;
  return {
    kind: 'imported',
    ...{ rows: total, payments: rows.length, outgoing, other, incomplete, unreadable, skipped },
    fresh,
    known: rows.length - fresh,
    reversed: distinct([...known.values(), ...added].filter(({ id }) => reversedIds.has(id))),
    stillReversed: distinct(stillReversed),
  };
}

async function textOf({ file, text }: Omit<Upload, 'mapping'>): Promise<string> {
  if (file && file.size > FILE_BYTES)
    throw new AppError('payload_too_large', `The file is larger than ${FILE_BYTES} bytes.`);
  if (file && file.size > 0) return decodeFile(new Uint8Array(await file.arrayBuffer()));
  if (text === undefined) throw new AppError('invalid_body', 'Choose a file that is not empty.');
  return text;
}

// The same order everywhere: two imports of the same rows wait for each other without a deadlock.
const byId = (a: StoredPayment, b: StoredPayment) => (a.id < b.id ? -1 : 1);

/** A file can contain a payment twice. */
const distinct = (rows: StoredPayment[]): Payment[] =>
  [...new Map(rows.map((row) => [row.id, row])).values()].map(asPayment);

/** The stored payments with these ids. @throws AppError `unavailable` */
async function storedPayments(db: Db, ids: Set<string>): Promise<Map<string, StoredPayment>> {
  const found = new Map<string, StoredPayment>();
  for await (const part of parts([...ids])) {
    const read = () => db.select().from(payments).where(isAnyOf(part));
    for (const row of await withRetry(read)) found.set(row.id, row);
  }
  return found;
}

/** One parameter for any number of ids. */
const isAnyOf = (ids: string[]) => sql`${payments.id} = any(${sql.param(ids)}::text[])`;

interface Source {
  file: ReadFile;
  reviewer: string;
  now: number;
}

/** @returns how many were added @throws AppError `unavailable` */
async function store(context: ServiceContext, changes: Change[], source: Source): Promise<number> {
  const fresh = new Set<string>();
  try {
    for await (const part of parts(changes))
      await inTransaction(context.db, async (tx) => {
        // If only the response of a commit was lost, the next attempt finds nothing to do and records nothing.
        const reversed = await reverse(tx, part, source.now);
        const added = await add(tx, part);
        for (const id of added) fresh.add(id);
        if (added.length > 0 || reversed > 0)
          await recordImport(tx, added.length, reversed, source);
      });
  } catch (error) {
    if (!isAppError(error) || error.code !== 'unavailable') throw error;
    throw new AppError(
      'unavailable',
      'The database became unavailable before the whole file was stored. Send the same file again: the rest is added.',
      { retryAfter: RETRY_AFTER_S, cause: error },
    );
  }
  return fresh.size;
}

const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;

function recordImport(
  tx: Db,
  fresh: number,
  reversed: number,
  { file, reviewer, now }: Source,
): Promise<void> {
  const more = reversed > 0 ? `; ${reversed} known before, no longer completed` : '';
  const [total, rows] = [plural(file.payments.length, 'payment'), plural(file.rows, 'row')];
  const reason = `${fresh} new of ${total} in ${rows}${more}`;
  const action = 'payments_imported';
  return recordAction(tx, { actor: reviewer, action, subject: 'payments', reason }, now);
}

/** One array per column: a parameter per value would cost several times as much. @returns the ids that were new */
async function add(tx: Db, changes: Change[]): Promise<string[]> {
  const rows = changes.flatMap((change) => ('add' in change ? [change.add] : []));
  if (rows.length === 0) return [];
  const column = (of: (row: StoredPayment) => string | number | null) => sql.param(rows.map(of));
  const added = await tx
    .insert(payments)
    .select(
      sql`select * from unnest(
        ${column(({ id }) => id)}::text[],
        ${column(({ paidAt }) => paidAt.toISOString())}::text[]::timestamptz[],
        ${column(({ amountCents }) => amountCents)}::int4[],
        ${column(({ note }) => note)}::text[],
        ${column((row) => row.noteKey)}::text[],
        ${column(({ reversedAt }) => reversedAt?.toISOString() ?? null)}::text[]::timestamptz[]
      )`,
    )
    .onConflictDoNothing()
    .returning({ id: payments.id });
  return added.map(({ id }) => id);
}

/** @returns how many were not reversed before */
async function reverse(tx: Db, changes: Change[], now: number): Promise<number> {
  const ids = changes.flatMap((change) => ('reverse' in change ? [change.reverse] : []));
  if (ids.length === 0) return 0;
  const reversed = await tx
    .update(payments)
    .set({ reversedAt: new Date(now) })
    .where(and(isAnyOf(ids), isNull(payments.reversedAt)))
    .returning({ id: payments.id });
  return reversed.length;
}

/** Lets the event loop serve others before each part. */
async function* parts<T>(list: T[]): AsyncGenerator<T[]> {
  for (let at = 0; at < list.length; at += PART) {
    await turn();
    yield list.slice(at, at + PART);
  }
}
