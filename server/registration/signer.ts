import type { IdentityService } from '#server/identity/index.ts';
import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { readRegistration, type RecordContext } from './record.ts';

export interface VerifyingContext extends RecordContext {
  identity: Pick<IdentityService, 'verifyProof'>;
}

/**
 * Verifies the proof of an action on a registration.
 * @returns the key that has signed; null without a proof
 * @throws AppError `not_found`, `signature_invalid`, `unavailable`
 */
export async function signerOf(
  context: VerifyingContext,
  { action, id, proof, network }: ProvedAction,
  now: number,
): Promise<string | null> {
  if (!proof) return null;
  const { name, nodeId } = await readRegistration(context, id, now);
  // Repeated, either changes nothing.
  const expected = { network, action, name, nodeId, id };
  return context.identity.verifyProof(proof, expected, `${action} ${id}`);
}

interface ProvedAction {
  action: 'confirm' | 'cancel';
  id: string;
  proof: DsseEnvelope | undefined;
  /** The origin of this service, as its users know it. */
  network: string;
}
