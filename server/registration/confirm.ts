import { plainText } from '@mesh-registry/protocol/rest/fields.schema.ts';
import type { Confirm, RegistrationRecord } from '@mesh-registry/protocol/rest/register.schema.ts';
import { OPERATOR, PROVED_REASON, SYSTEM } from '@mesh-registry/protocol/values.schema.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { pinOf } from '#server/identity/index.ts';
import { CANCELLED_REASON } from './own-changes.ts';
import { isNodeProved, isReviewedKey, proveBy, type Pinned } from './proof.ts';
import {
  presentRecord,
  requireRegistrationId,
  signerOf,
  type RegistrationContext,
} from './record.ts';
import { changeRegistration } from './state-machine.ts';

/** The operator reports the payment, with the confirmation text that the payment app shows. */

export type Confirmation = Omit<Confirm, 'action'>;

export interface ConfirmOptions {
  /** The keyed hash of the client, whose open registrations are limited; undefined: no limit. */
  client?: string | undefined;
  /** The origin of this service, as its users know it; a proof has to name it. */
  network?: string | null;
}

/** The text as reviewers see it; null if nothing visible is left. */
const confirmationText = (given: string | undefined): string | null =>
  plainText(given ?? '') || null;

/**
 * Reports that the fee is paid. Repeating it changes nothing. After the reservation has expired it revives the
 * registration, unless somebody else holds the name.
 * @throws AppError `not_found`, `invalid_state` (rejected by a reviewer, or proved by another key), `name_taken` (too
 *   late), `rate_limited` (too late, and too many others are open), `signature_invalid`, `unavailable`
 */
export async function confirm(
  context: RegistrationContext,
  { id, cashConfirm, proof }: Confirmation,
  { client, network = null }: ConfirmOptions = {},
  now = context.clock(),
): Promise<RegistrationRecord> {
  requireRegistrationId(id);
  const text = confirmationText(cashConfirm);
  const key = await signerOf(context, { action: 'confirm', id, proof, network }, now);
  let uncount = () => {};
  const row = await changeRegistration(context, { secret: id }, now, (row) => {
    if (row.status === 'active') return null;
    const provedWith = (pin: Pinned) => (key === null ? null : proveBy(row, key, pin));
    const proved = provedWith(pinOf(context, row.nodeId));
    const proof = proved && { key: proved.proofKey, requirePin: provedWith };
    if (row.status === 'pending_review') {
      const first = row.cashConfirm === null && text !== null ? { cashConfirm: text } : null;
      return first || proved
        ? {
            to: 'pending_review',
            actor: OPERATOR,
            ...(proof && { reason: PROVED_REASON, ...proof }),
            set: { ...first, ...proved },
          }
        : null;
    }
    if (row.status === 'rejected' && row.decidedBy !== SYSTEM)
      throw new AppError(
        'invalid_state',
        `This registration was ${row.decidedBy === OPERATOR ? CANCELLED_REASON : 'rejected by a reviewer'}. Start a new one to try again.`,
      );
    // Otherwise a client could let its reservations expire, and confirm all of them at once.
    const after = { ...row, ...proved };
    if (row.status === 'rejected' && client !== undefined && !isReviewedKey(context, after)) {
      context.clientRegistrations.delete(row.id);
      const byNode = isNodeProved(context, after);
      uncount = context.clientRegistrations.add(client, row, byNode, now);
    }
    const reasons = [
      ...(row.status === 'rejected' ? ['confirmed after the payment window'] : []),
      ...(proved ? [PROVED_REASON] : []),
    ];
    return {
      to: 'pending_review',
      actor: OPERATOR,
      ...(reasons.length > 0 && { reason: reasons.join(', ') }),
      ...proof,
      set: {
        ...proved,
        cashConfirm: text ?? row.cashConfirm,
        confirmedAt: new Date(now),
        rejectionReason: null,
        decidedAt: null,
        decidedBy: null,
      },
    };
  }).catch((error: unknown) => {
    uncount();
    throw error;
  });
  return presentRecord(context, row);
}

/**
 * Reports the payment and makes the confirmation text of this call the one that counts.
 * @param onlyCorrect replace the text of a registration that is waiting for review, and nothing else
 * @throws AppError as {@link confirm}; `invalid_state` if there is nothing to correct
 */
export async function submitConfirmation(
  context: RegistrationContext,
  input: Confirmation,
  onlyCorrect: boolean,
  { client }: ConfirmOptions = {},
  now = context.clock(),
): Promise<void> {
  if (onlyCorrect || (await confirm(context, input, { client }, now)).status === 'pending_review')
    await correctConfirmation(context, input, now);
}

/** `confirm` keeps the first text, so that a program which repeats it gets the same response. */
async function correctConfirmation(
  context: RegistrationContext,
  { id, cashConfirm }: Confirmation,
  now: number,
): Promise<void> {
  requireRegistrationId(id);
  const text = confirmationText(cashConfirm);
  await changeRegistration(context, { secret: id }, now, ({ status, cashConfirm: current }) => {
    if (status !== 'pending_review')
      throw new AppError(
        'invalid_state',
        'The confirmation text can only be changed while the registration is waiting for review.',
      );
    return text === null || text === current
      ? null
      : { to: 'pending_review', actor: OPERATOR, set: { cashConfirm: text } };
  });
}
