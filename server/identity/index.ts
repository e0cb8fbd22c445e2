import type { DsseEnvelope } from '#shared/dsse.schema.ts';
import type { ServiceContext } from '#server/common/context.ts';
import { Freshness, type OnOutcome } from './freshness.ts';
import { verifyNodeProof, type ExpectedProof } from './node-proof.ts';
import { pinOf, requireSigner } from './pins.ts';
import { PublicKeys } from './public-keys.ts';
import { RequestSignatures, type SignedRequest } from './request-signature.ts';

export type { SignatureOutcome } from './freshness.ts';
export type { ExpectedProof } from './node-proof.ts';
export { pinFirstUse, pinInTransaction, pinOf, requireSigner, unpinInTransaction } from './pins.ts';
export type { SignedRequest } from './request-signature.ts';

export type IdentityService = ReturnType<typeof createIdentity>;

/** The keys of nodes: who has signed, and which key a node id is pinned to. */
export function createIdentity(context: ServiceContext, onOutcome: OnOutcome = () => {}) {
  const freshness = new Freshness(context.clock, onOutcome);
  const signatures = new RequestSignatures(new PublicKeys(), freshness);

  return {
    pinOf: (nodeId: string) => pinOf(context, nodeId),
    /** Who has signed a request. @throws AppError `signature_invalid`, `unavailable` */
    signer: (request: SignedRequest, body: string | null) => signatures.signer(request, body),
    /** @throws AppError `signature_required` */
    requireSigner: (nodeId: string, signer: string | null) =>
      requireSigner(context, nodeId, signer),
    /** @throws AppError `signature_invalid`, `unavailable` */
    verifyProof: (
      proof: DsseEnvelope,
      expected: ExpectedProof,
      options?: { mayRepeat?: boolean },
    ) => verifyNodeProof(freshness, proof, expected, options),
  };
}
