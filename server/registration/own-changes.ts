import { AppError } from '#server/common/errors.schema.ts';
import { OPERATOR } from '@mesh-registry/protocol/values.schema.ts';
import type { RegistrationRow } from '#db/schema/index.ts';
import { presentRegistration, requireRegistrationId, type RecordContext } from './record.ts';
import { isNodeProved } from './proof.ts';
import type { Cancel, Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import { signerOf, type VerifyingContext } from './signer.ts';
import { labelOrName } from './start.ts';
import { changeRegistration } from './state-machine.ts';

/**
 * What the operator may take back or correct. Whoever has the registration's id is its operator; once its payment is
 * reported and the node's key has proved it, the key is needed to end it.
 */

export const CANCELLED_REASON = 'cancelled by its operator';

/**
 * Ends a registration, or releases an active name. The name is free at once. A registration that has already ended
 * stays as it is.
 * @throws AppError `not_found`, `signature_required`, `signature_invalid`, `unavailable`
 */
export async function cancel(
  context: RecordContext & VerifyingContext,
  { id, proof }: Omit<Cancel, 'action'>,
  network: string,
  now = context.clock(),
): Promise<Registration> {
  requireRegistrationId(id);
  const key = await signerOf(context, { action: 'cancel', id, proof, network }, now);
  const row = await changeRegistration(context, id, now, (row) => {
    if (row.status === 'rejected') return null;
    if (cancelNeedsKey(context, row) && key !== row.proofKey)
      throw new AppError(
        'signature_required',
        'The node’s key has proved this registration, so its link alone doesn’t end it. Send a proof by that key, as “mesh-agent register --cancel” does.',
      );
    return {
      to: 'rejected',
      actor: OPERATOR,
      reason: CANCELLED_REASON,
      set: {
        rejectionReason: CANCELLED_REASON,
        decidedAt: new Date(now),
        decidedBy: OPERATOR,
      },
    };
  });
  return presentRegistration(context, row);
}

/** Whether the node's key has to sign the end of a registration. An unpaid one ends by its link alone. */
export const cancelNeedsKey = (
  context: RecordContext,
  row: Pick<RegistrationRow, 'status' | 'nodeId' | 'proofKey'>,
): boolean => row.status !== 'pending_payment' && isNodeProved(context, row);

export interface Details extends Pick<RegistrationRow, 'class' | 'region'> {
  /** Undefined, or nothing that can be published: the name. */
  label?: string | undefined;
}

/**
 * Corrects what the registry will show, until a reviewer has decided.
 * @throws AppError `not_found`, `invalid_body`, `invalid_state` (decided), `unavailable`
 */
export async function correctDetails(
  context: RecordContext,
  id: string,
  details: Details,
  now = context.clock(),
): Promise<Registration> {
  requireRegistrationId(id);
  const row = await changeRegistration(context, id, now, (row) => {
    if (row.status !== 'pending_payment' && row.status !== 'pending_review')
      throw new AppError(
        'invalid_state',
        'The details can only be corrected until a reviewer has decided.',
      );
    const label = labelOrName({ label: details.label, name: row.name });
    const set = { label, class: details.class, region: details.region };
    const reason = describeChanges(row, set);
    return reason === '' ? null : { to: row.status, actor: OPERATOR, reason, set };
  });
  return presentRegistration(context, row);
}

/** "label garage → barn, class S → M"; empty if nothing changes. */
function describeChanges(
  before: RegistrationRow,
  after: Pick<RegistrationRow, 'label' | 'class' | 'region'>,
): string {
  return (['label', 'class', 'region'] as const)
    .filter((field) => before[field] !== after[field])
    .map((field) => `${field} ${before[field]} → ${after[field]}`)
    .join(', ');
}
