import { randomBytes } from 'node:crypto';
import { payments } from '#db/schema/index.ts';
import { noteKey } from '@mesh-registry/protocol/rest/payment-note.schema.ts';
import type { TestServer } from './server.ts';

/** Stores a payment with this note, as an import does. */
export async function importPayment(
  { database }: Pick<TestServer, 'database'>,
  note: string,
  { amountCents = 500, paidAt = new Date() } = {},
): Promise<void> {
  const id = `D-${randomBytes(6).toString('hex')}`;
  await database.db
    .insert(payments)
    .values({ id, paidAt, amountCents, note, noteKey: noteKey(note) });
}
