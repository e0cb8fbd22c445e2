import { and, asc, eq, gt, lte } from 'drizzle-orm';
import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '#db/client.ts';
import { databaseCode } from '#db/errors.ts';
import { withRetry } from '#server/common/with-retry.ts';
import {
  idempotencyKeys,
  registrationHistory,
  registrations,
  type RegistrationRow,
} from '#db/schema.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import { plainText } from '#server/common/fields.schema.ts';
import { whyNameUnavailable } from '#server/registry/index.ts';
import { OPERATOR, SYSTEM } from '#server/common/values.schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { publishableLabel, requireUnreservedNodeId } from '#server/mesh/index.ts';
import { newPaymentNote, payUrl } from '#server/payments/note.ts';
import { changeRegistration, claimName, holderOf, nameTaken } from './state-machine.ts';
import {
  REGISTRATION_ID_PATTERN,
  type Confirm,
  type Registration,
  type Start,
} from './register.schema.ts';

/** The operator's side of a registration: start, confirm, look. */

/** How long the first answer of a start is given again to the same Idempotency-Key. */
export const IDEMPOTENCY_MS = 24 * 3_600_000;
/** Visible ASCII, as an HTTP header may carry it. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

export function presentRegistration(s: ServiceContext, row: RegistrationRow): Registration {
  return {
    ok: true,
    id: row.id,
    name: row.name,
    label: row.label,
    class: row.class,
    region: row.region,
    nodeId: row.nodeId,
    kinds: row.kinds,
    status: row.status,
    paymentNote: row.paymentNote,
    feeUsd: row.feeCents / 100,
    payUrl: payUrl(s.config.cashtag, row.feeCents, row.paymentNote),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    rejectionReason: row.rejectionReason,
  };
}

/**
 * Starts a registration: from now on it holds its name, until it is paid or the hold runs out.
 * @param idempotencyKey a retry with the same key and body gives the first answer again
 * @throws AppError `name_taken`, `name_reserved`, `reserved_node_id`, `invalid_body`, `invalid_state` (the
 *   key came with another body before), `unavailable`
 */
export async function start(
  s: ServiceContext,
  input: Start,
  { idempotencyKey, now = s.clock() }: { idempotencyKey?: string; now?: number } = {},
): Promise<Registration> {
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey))
    throw invalid('invalid_body', [
      { path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' },
    ]);
  requireUnreservedNodeId(input.nodeId);
  const label = shownLabel(input);
  const at = new Date(now);
  // Made before the transaction: if its commit succeeds but the answer is lost, the repetition finds its own id.
  const id = `reg_${randomBytes(18).toString('base64url')}`;

  for (let attempt = 0; ; attempt++) {
    const row: RegistrationRow = {
      id,
      name: input.name,
      label,
      class: input.class,
      region: input.region,
      nodeId: input.nodeId,
      kinds: input.kinds,
      status: 'pending_payment',
      paymentNote: newPaymentNote(input.name),
      feeCents: s.config.feeCents,
      cashConfirm: null,
      createdAt: at,
      updatedAt: at,
      expiresAt: new Date(now + s.config.holdMs),
      confirmedAt: null,
      activatedAt: null,
      decidedAt: null,
      decidedBy: null,
      rejectionReason: null,
      rev: 1,
      writtenAt: at,
      writtenBy: s.serverId,
    };
    try {
      return await withRetry(() => insertRegistration(s, row, input, idempotencyKey, now));
    } catch (error) {
      // 23505: the note is in use, a chance of one in a hundred million. Another one, then.
      if (databaseCode(error) !== '23505' || attempt >= 3) throw error;
    }
  }
}

/** The label that a registration gets. @throws AppError `invalid_body` */
export const shownLabel = ({ label, name }: Pick<Start, 'label' | 'name'>): string =>
  publishableLabel(label) ?? name;

async function insertRegistration(
  s: ServiceContext,
  row: RegistrationRow,
  input: Start,
  idempotencyKey: string | undefined,
  now: number,
): Promise<Registration> {
  const answer = presentRegistration(s, row);
  const { known, changed } = await s.db.transaction(async (tx) => {
    if (idempotencyKey !== undefined) {
      const known = await firstAnswer(tx, idempotencyKey, input, answer, now);
      if (known) return { known, changed: [] };
    }
    const why = await whyNameUnavailable(tx, row.name, now);
    if (why === 'reserved')
      throw new AppError(
        'name_reserved',
        `The name "${row.name}" is reserved. Choose another name.`,
        {
          issues: [{ path: 'name', message: 'is reserved' }],
        },
      );
    if (why === 'taken') {
      const holder = await holderOf(tx, row.name);
      // Our own: the transaction before this one committed, only its answer was lost.
      if (holder?.id === row.id)
        return { known: presentRegistration(s, holder), changed: [holder] };
      throw nameTaken(row.name);
    }
    const expired = await claimName(tx, s, row.name, row.id, now);
    const { writtenAt: _database, ...values } = row;
    const [inserted] = await tx.insert(registrations).values(values).returning();
    if (!inserted) throw new Error('an insert returned no row');
    await tx.insert(registrationHistory).values({
      registrationId: row.id,
      rev: row.rev,
      at: row.createdAt,
      actor: OPERATOR,
      fromStatus: null,
      toStatus: row.status,
    });
    return { known: null, changed: [...expired, inserted] };
  });
  s.live.registrations.apply(changed);
  return known ?? answer;
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

/** The answer that this key got before; null, and `answer` kept for the next time, where it is new. */
async function firstAnswer(
  tx: Db,
  key: string,
  input: Start,
  answer: Registration,
  now: number,
): Promise<Registration | null> {
  const keyHash = hash(key);
  const bodyHash = hash(JSON.stringify(input));
  await tx
    .delete(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.keyHash, keyHash),
        lte(idempotencyKeys.createdAt, new Date(now - IDEMPOTENCY_MS)),
      ),
    );
  // A second request with the same key waits here until the first one's transaction has ended.
  const inserted = await tx
    .insert(idempotencyKeys)
    .values({
      keyHash,
      bodyHash,
      registrationId: answer.id,
      answer: JSON.stringify(answer),
      createdAt: new Date(now),
    })
    .onConflictDoNothing()
    .returning({ keyHash: idempotencyKeys.keyHash });
  if (inserted.length > 0) return null;
  const [known] = await tx
    .select()
    .from(idempotencyKeys)
    .where(eq(idempotencyKeys.keyHash, keyHash));
  if (known && known.bodyHash !== bodyHash)
    throw new AppError(
      'invalid_state',
      'This Idempotency-Key came with another body before. Use a new key for a new registration.',
      { issues: [{ path: 'Idempotency-Key', message: 'was used with another body' }] },
    );
  return known ? (JSON.parse(known.answer) as Registration) : null;
}

/**
 * What came of a start that was sent with this key: the id of its registration, `other` where the start had
 * another body, null where none came in the last day. Reads only.
 * @throws AppError `unavailable`
 */
export async function startedWith(
  s: ServiceContext,
  idempotencyKey: string,
  input: Start,
  now = s.clock(),
): Promise<{ id: string } | 'other' | null> {
  const [known] = await withRetry(() =>
    s.db
      .select({ id: idempotencyKeys.registrationId, bodyHash: idempotencyKeys.bodyHash })
      .from(idempotencyKeys)
      .where(
        and(
          eq(idempotencyKeys.keyHash, hash(idempotencyKey)),
          gt(idempotencyKeys.createdAt, new Date(now - IDEMPOTENCY_MS)),
        ),
      ),
  );
  if (!known) return null;
  return known.bodyHash === hash(JSON.stringify(input)) ? { id: known.id } : 'other';
}

/** Text for a reviewer's eyes; null where nothing of it is to be seen. */
const confirmationText = (given: string | undefined): string | null =>
  plainText(given ?? '') || null;

/**
 * The operator says that the fee is paid. Repeating it changes nothing. A confirmation that comes
 * after the hold ran out revives the registration while nobody else holds the name.
 * @throws AppError `not_found`, `invalid_state` (rejected by a reviewer), `name_taken` (too late), `unavailable`
 */
export async function confirm(
  s: ServiceContext,
  { id, cashConfirm }: Omit<Confirm, 'action'>,
  now = s.clock(),
): Promise<Registration> {
  requireRegistrationId(id);
  const text = confirmationText(cashConfirm);
  const row = await changeRegistration(s, id, now, (row) => {
    if (row.status === 'active') return null;
    if (row.status === 'pending_review')
      return row.cashConfirm === null && text !== null
        ? { to: 'pending_review', actor: OPERATOR, set: { cashConfirm: text } }
        : null;
    if (row.status === 'rejected' && row.decidedBy !== SYSTEM)
      throw new AppError(
        'invalid_state',
        'This registration was rejected by a reviewer. Start a new one to try again.',
      );
    return {
      to: 'pending_review',
      actor: OPERATOR,
      ...(row.status === 'rejected' ? { reason: 'confirmed after the payment window' } : {}),
      set: {
        cashConfirm: text ?? row.cashConfirm,
        confirmedAt: new Date(now),
        rejectionReason: null,
        decidedAt: null,
        decidedBy: null,
      },
    };
  });
  return presentRegistration(s, row);
}

/**
 * Confirms the payment, and makes the confirmation text of this call the one that counts.
 * @param onlyCorrect replace the text of a registration that is waiting for review, and nothing else
 * @throws AppError as {@link confirm}; `invalid_state` if there is nothing to correct
 */
export async function submitConfirmation(
  s: ServiceContext,
  input: Omit<Confirm, 'action'>,
  onlyCorrect: boolean,
  now = s.clock(),
): Promise<void> {
  if (onlyCorrect || (await confirm(s, input, now)).status === 'pending_review')
    await correctConfirmation(s, input, now);
}

/**
 * Replaces the confirmation text. `confirm` keeps the first one, so that a program which repeats it gets the same
 * answer.
 * @throws AppError `not_found`, `invalid_state` (not waiting for review), `unavailable`
 */
async function correctConfirmation(
  s: ServiceContext,
  { id, cashConfirm }: Omit<Confirm, 'action'>,
  now = s.clock(),
): Promise<void> {
  requireRegistrationId(id);
  const text = confirmationText(cashConfirm);
  await changeRegistration(s, id, now, ({ status, cashConfirm: given }) => {
    if (status !== 'pending_review')
      throw new AppError(
        'invalid_state',
        'The confirmation text can only be changed while the registration waits for a reviewer.',
      );
    return text === null || text === given
      ? null
      : { to: 'pending_review', actor: OPERATOR, set: { cashConfirm: text } };
  });
}

/** @throws AppError `not_found`, `unavailable` */
export async function registration(
  s: ServiceContext,
  id: string,
  now = s.clock(),
): Promise<Registration> {
  return presentRegistration(s, await readRegistration(s, id, now));
}

/** The row as the database has it; a hold that ran out is ended. @throws AppError `not_found`, `unavailable` */
export async function readRegistration(
  s: ServiceContext,
  id: string,
  now: number,
): Promise<RegistrationRow> {
  requireRegistrationId(id);
  return changeRegistration(s, id, now, () => null);
}

/** An id that cannot be one gets the answer of one that does not exist, without asking the database. */
function requireRegistrationId(id: string): void {
  if (!REGISTRATION_ID_PATTERN.test(id))
    throw new AppError('not_found', 'There is no registration with this id.');
}

/**
 * Ends the holds that ran out. Any number of servers may do it at once; one that fails keeps none of the
 * others waiting.
 * @throws AppError `unavailable`
 */
export async function sweep(s: ServiceContext, now = s.clock()): Promise<void> {
  const due = await s.db
    .select({ id: registrations.id })
    .from(registrations)
    .where(
      and(eq(registrations.status, 'pending_payment'), lte(registrations.expiresAt, new Date(now))),
    )
    .orderBy(asc(registrations.expiresAt))
    .limit(500);
  let failure: unknown;
  for (const { id } of due)
    await changeRegistration(s, id, now, () => null).catch((error: unknown) => {
      failure ??= error;
    });
  if (failure !== undefined) throw failure as Error;
}
