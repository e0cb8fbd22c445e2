import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import {
  REGISTRATION_ID_PATTERN,
  type RegistrationRecord,
} from '@mesh-registry/protocol/rest/register.schema.ts';
import { OPERATOR, SYSTEM, type EndedBy } from '@mesh-registry/protocol/values.schema.ts';
import { secretIdOf, type RegistrationRow } from '#db/schema/index.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { requireUnrevoked, type IdentityService } from '#server/identity/index.ts';
import type { RegistryService } from '#server/registry/index.ts';
import type { ClientRegistrations, NewRegistrations } from './open-registrations.ts';
import { nodeProofOf } from './notices.ts';
import type { Questions } from './questions.ts';
import type { ReviewTimes } from './queue-estimate.ts';
import type { ReviewIndex } from './review-index.ts';
import { changeRegistration, noRegistration } from './state-machine.ts';
import type { Timelines } from './timeline.ts';

/** The record of a registration, as its operator gets it. */

/** What the functions of registrations need beyond the service context. */
export interface RegistrationContext extends ServiceContext {
  identity: Pick<IdentityService, 'verifyProof'>;
  registry: Pick<RegistryService, 'name'>;
  reviewIndex: ReviewIndex;
  clientRegistrations: ClientRegistrations;
  newRegistrations: NewRegistrations;
  reviewTimes: ReviewTimes;
  timelines: Timelines;
  questions: Questions;
}

/** With what reviewers have asked. @throws AppError `unavailable` */
export async function presentRecord(
  context: RegistrationContext,
  row: RegistrationRow,
): Promise<RegistrationRecord> {
  const [record] = await presentRecords(context, [row]);
  if (!record) throw new Error('a row has a record');
  return record;
}

/** @throws AppError `unavailable` */
export async function presentRecords(
  context: RegistrationContext,
  rows: RegistrationRow[],
): Promise<RegistrationRecord[]> {
  const asked = await context.questions.of(rows);
  return rows.map((row) => withQuestions(presentRegistration(context, row), asked.get(row.id)));
}

export const withQuestions = (
  record: RegistrationRecord,
  questions: RegistrationRecord['questions'],
): RegistrationRecord =>
  questions !== undefined && questions.length > 0 ? { ...record, questions } : record;

/** Without what reviewers have asked. */
export function presentRegistration(
  context: RegistrationContext,
  row: RegistrationRow,
): RegistrationRecord {
  const { nodeProved, notices } = nodeProofOf(context, row);
  return {
    ok: true,
    id: secretIdOf(row),
    name: row.name,
    label: row.label,
    class: row.class,
    region: row.region,
    nodeId: row.nodeId,
    kinds: row.kinds,
    status: row.status,
    paymentNote: row.paymentNote,
    feeUsd: row.feeCents / 100,
    payUrl: payUrl(context.config.cashtag, row.feeCents, row.paymentNote),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    rejectionReason: row.rejectionReason,
    endedBy: endedBy(row),
    cashConfirmGiven: row.cashConfirm !== null,
    // Only where there is something to say: clients that don't know the fields get none.
    ...((row.proofKey !== null || notices.length > 0) && { nodeProved, notices }),
  };
}

/** Null for one that has not ended. */
function endedBy({ status, decidedBy }: RegistrationRow): EndedBy | null {
  if (status !== 'rejected') return null;
  return decidedBy === OPERATOR ? 'operator' : decidedBy === SYSTEM ? 'expiry' : 'reviewer';
}

/** `https://cash.app/$MeshDemo/5.00?note=MESH-garage-7K3QFA`. A path may contain the cashtag's `$` unencoded. */
function payUrl(cashtag: string, feeCents: number, note: string): string {
  const path = encodeURIComponent(cashtag).replace('%24', '$');
  return `https://cash.app/${path}/${(feeCents / 100).toFixed(2)}?note=${encodeURIComponent(note)}`;
}

/** @throws AppError `not_found`, `unavailable` */
export async function getRegistration(
  context: RegistrationContext,
  id: string,
  now = context.clock(),
): Promise<RegistrationRecord> {
  return presentRecord(context, await readRegistration(context, id, now));
}

/**
 * The row from the database. An expired reservation is ended first.
 * @param id the one that its operator has
 * @throws AppError `not_found`, `unavailable`
 */
export async function readRegistration(
  context: ServiceContext,
  id: string,
  now: number,
): Promise<RegistrationRow> {
  requireRegistrationId(id);
  return changeRegistration(context, { secret: id }, now, () => null);
}

/** Refuses text that cannot be an id, as if it did not exist, without a query. @throws AppError `not_found` */
export function requireRegistrationId(id: string): void {
  if (!REGISTRATION_ID_PATTERN.test(id)) throw noRegistration();
}

/**
 * Verifies the proof of an action on a registration.
 * @returns the key that has signed; null without a proof
 * @throws AppError `not_found`, `signature_invalid` (also if the key is revoked), `unavailable`
 */
export async function signerOf(
  context: RegistrationContext,
  {
    action,
    id,
    proof,
    network,
  }: {
    action: 'confirm' | 'cancel';
    id: string;
    proof: DsseEnvelope | undefined;
    /** The origin of this service, as its users know it. */
    network: string | null;
  },
  now: number,
): Promise<string | null> {
  if (!proof) return null;
  const { name, nodeId } = await readRegistration(context, id, now);
  // Repeated, either changes nothing.
  const expected = { network, action, name, nodeId, id };
  const key = await context.identity.verifyProof(proof, expected, `${action} ${id}`);
  // Also where nothing is left to change. What changes something looks again, in its transaction.
  await withRetry(() => requireUnrevoked(context.db, nodeId, key));
  return key;
}
