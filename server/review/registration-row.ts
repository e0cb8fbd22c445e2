import type { RegistrationRow } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { nodeProofOf, type NodeProof } from '#server/registration/index.ts';
import type { RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { ReviewContext } from './context.ts';
import type { ReviewIndex } from '#server/registration/index.ts';

/** A registration in a list. Reviewers never see its id, which is its operator's secret. */
export interface ReviewedRegistration extends NodeProof {
  /** The payment note, by which everything refers to it. */
  note: string;
  name: string;
  label: string;
  kinds: RegistrationRow['kinds'];
  class: RegistrationRow['class'];
  region: string;
  nodeId: string;
  status: RegistrationStatus;
  /** Grows with every change. A rejection names the one it is about. */
  rev: number;
  feeUsd: number;
  /** The confirmation text. */
  cashConfirm: string | null;
  createdAt: string;
  updatedAt: string;
  confirmedAt: string | null;
  expiresAt: string;
  activatedAt: string | null;
  decidedAt: string | null;
  decidedBy: string | null;
  rejectionReason: string | null;
}

/** Everything but the id. */
export const presentRow = (context: ReviewContext, row: RegistrationRow): ReviewedRegistration => ({
  note: row.paymentNote,
  name: row.name,
  label: row.label,
  kinds: row.kinds,
  class: row.class,
  region: row.region,
  nodeId: row.nodeId,
  status: row.status,
  rev: row.rev,
  feeUsd: row.feeCents / 100,
  cashConfirm: row.cashConfirm,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  confirmedAt: row.confirmedAt?.toISOString() ?? null,
  expiresAt: row.expiresAt.toISOString(),
  activatedAt: row.activatedAt?.toISOString() ?? null,
  decidedAt: row.decidedAt?.toISOString() ?? null,
  decidedBy: row.decidedBy,
  rejectionReason: row.rejectionReason,
  ...nodeProofOf(context, row),
});

/** From memory. @throws AppError `not_found` */
export function registrationByNote(index: ReviewIndex, note: string): RegistrationRow {
  const row = index.byNote(note);
  if (!row) throw noSuchNote();
  return row;
}

export const noSuchNote = () => new AppError('not_found', 'No registration has this payment note.');
