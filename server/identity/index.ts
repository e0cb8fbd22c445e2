import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import type { NodeKeyAnswer } from '@mesh-registry/protocol/rest/identity.schema.ts';
import { NODE_ID_PATTERN } from '@mesh-registry/protocol/values.schema.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { createSignal, type Repeated } from '#server/common/rooms.ts';
import type { RequestSigner, ServiceContext } from '#server/context.ts';
import { FormerKeyIndex, isRevoked, keyRevoked } from './former-keys.ts';
import { Freshness, type SignatureOutcome } from './freshness.ts';
import {
  addressUnknown,
  verifyNodeProof,
  type ExpectedProof,
  type ProofChecks,
} from './node-proof.ts';
import { lastSignerOf, LastSigners, type SignedKind } from './last-signers.ts';
import { pinFirstUse, pinOf, signatureRequired } from './pins.ts';
import {
  RequestSignatures,
  type SignedRequest,
  type VerifiedRequest,
} from './request-signature.ts';
import { resetKey, type KeyReset } from './reset.ts';
import { keysOf, pinByReviewer, type ReviewedPin } from './reviewed-keys.ts';
import { rotateKey, type RotationRequest } from './rotation.ts';
import { expiredSignatures, spendSignature } from './spent-signatures.ts';

export { isBlockedIn } from './rotation.ts';
export type { SignatureOutcome } from './freshness.ts';
export type { ExpectedProof } from './node-proof.ts';
export { hasRevokedKey, lockNode, lockNodes, requireUnrevoked } from './former-keys.ts';
export {
  needsReviewer,
  pinInTransaction,
  pinOf,
  readPin,
  signatureRequired,
  unpinInTransaction,
} from './pins.ts';
export { newSecretId } from './reset.ts';
export { lastSignerOf, otherSignerOf, signsForNode, type SignedKind } from './last-signers.ts';
export type { SignedRequest } from './request-signature.ts';

export type IdentityService = ReturnType<typeof createIdentity>;

/** The keys of nodes: who has signed, and which key a node id is pinned to. */
export function createIdentity(context: ServiceContext) {
  const verified = createSignal<SignatureOutcome>(context.log);
  const freshness = new Freshness(context.clock, verified.emit);
  const signatures = new RequestSignatures(freshness);
  const former = new FormerKeyIndex(context.live);
  const lastSigners = new LastSigners(context, freshness);
  const withoutService = new WithoutService(context.log);
  const checks: ProofChecks = {
    freshness,
    spend: (signer, request) => spendSignature(context, freshness, signer, request),
  };

  /**
   * Refuses what another than the node's own key has signed, or nobody. Any key but a revoked one, or none, may speak
   * for an id that is pinned to none.
   * @throws AppError `signature_required`, `signature_invalid` (a reviewer has revoked the key)
   */
  function requireSigner(nodeId: string, signer: string | null): void {
    const pin = pinOf(context, nodeId);
    if (pin?.key === signer) return;
    if (signer !== null && isRevoked(context, nodeId, signer)) {
      verified.emit('wrong');
      throw keyRevoked();
    }
    if (!pin) return;
    verified.emit('required');
    throw signatureRequired(signer);
  }

  return {
    /** How the check of a signature or proof has ended. */
    verified,
    repeats: [...lastSigners.repeats, ...withoutService.repeats],
    expired: [expiredSignatures],
    load: () => freshness.start(),
    stop: () => lastSigners.stop(),
    pinOf: (nodeId: string) => pinOf(context, nodeId),
    /** How many node ids are pinned. */
    pins: () => context.live.nodeKeys.size,
    /** What GET /api/mesh/nodes/:id/key answers. @throws AppError `not_found` */
    key: (nodeId: string) => presentKey(context, former, nodeId),
    /** @throws as {@link rotateKey} */
    rotate: async (request: RotationRequest) => {
      const { id } = await rotateKey(context, checks, request);
      return presentKey(context, former, id);
    },
    /** Revokes a key for a reviewer. @throws as {@link resetKey} */
    reset: (reset: KeyReset) => resetKey(context, reset),
    /** What reviewers see of the keys of a node. @throws AppError `unavailable` */
    keysOf: (nodeId: string) => keysOf(context, nodeId, lastSignerOf(context, nodeId)),
    /** Pins a node for a reviewer. @throws as {@link pinByReviewer} */
    pin: (pin: ReviewedPin) => pinByReviewer(context, pin),
    /**
     * Who has signed a heartbeat or an announcement. It may have been sent before, and until the next minor version it need
     * not name this service.
     * @param origin scheme, host and port under which this service is reached
     * @throws AppError `signature_invalid`
     */
    reportSigner(request: SignedRequest, body: Uint8Array, origin: () => string) {
      const rules = () => ({ origin: origin(), authorityIsOptional: true });
      return signatures.signer(request, body, rules)?.then(withoutService.count) ?? null;
    },
    /**
     * Who has signed any other request: its signature has to name this service. It may have been sent before.
     * @param origin as for `reportSigner`; null if this service does not know it
     * @throws AppError `signature_invalid`, `unavailable` (it does not)
     */
    actionSigner: (request: SignedRequest, body: Uint8Array | null, origin: () => string | null) =>
      signatures.signer(request, body, () => {
        const own = origin();
        if (own === null) throw addressUnknown();
        return { origin: own };
      }),
    /** Tells the log of signatures that name no service. Also runs by itself. */
    tellOfUnnamed: () => withoutService.tell(),
    /** Counts the signature of such a request as used. @throws as {@link spendSignature} */
    spend: (signer: RequestSigner) => checks.spend(signer),
    /** Refuses a heartbeat or an announcement that was sent before. @throws as {@link LastSigners.requireUnspent} */
    requireUnspent(nodeId: string, kind: SignedKind, signer: RequestSigner): void {
      lastSigners.requireUnspent(nodeId, kind, signer);
      freshness.accept();
    },
    /** Who has signed the last heartbeat of a node; null if nothing was ever heard of it. */
    lastSigner: (nodeId: string) => lastSignerOf(context, nodeId),
    /** Forgets who has signed for nodes that were removed. Also runs by itself. */
    forgetSigners: () => lastSigners.forget(),
    /**
     * What stores a heartbeat or an announcement: `store`, and first who has signed it, if its signature is new, or that
     * nobody has. The pin of the node has been checked.
     * @param signer null: it is not signed
     * @param now when it came, milliseconds
     * @returns throws as {@link LastSigners.spend} and {@link pinFirstUse}, AppError `unavailable`, and what `store` throws
     */
    storing<T>(
      nodeId: string,
      kind: SignedKind,
      signer: RequestSigner | null,
      now: number,
      store: () => Promise<T>,
    ): () => Promise<T> {
      if (signer === null)
        return lastSigners.hasRun(nodeId, kind)
          ? () => lastSigners.endRun(nodeId, kind, now).then(store)
          : store;
      return async () => {
        await lastSigners.spend(nodeId, kind, signer, now);
        // Another key may have been pinned meanwhile.
        requireSigner(nodeId, signer.key);
        // What only a reviewer can pin opens no transaction at each heartbeat. The transaction judges the rest.
        const mayPin = () =>
          former.revoked(nodeId).length === 0 || !context.live.nodes.isNamed(nodeId);
        if (context.config.nodeKeys === 'first-use' && !pinOf(context, nodeId) && mayPin())
          await pinFirstUse(context, nodeId, signer.key);
        return store();
      };
    },
    requireSigner,
    /** @throws AppError `signature_invalid`, `unavailable` */
    verifyProof: (proof: DsseEnvelope, expected: ExpectedProof, request?: string) =>
      verifyNodeProof(checks, proof, expected, request),
  };
}

/** How often the log tells of signatures that name no service, milliseconds. */
const WITHOUT_SERVICE_MS = 60_000;

/** Counts signatures that name no service: one line a minute, so that nobody can fill the log. */
class WithoutService {
  #count = 0;
  readonly repeats: readonly Repeated[] = [
    {
      ms: WITHOUT_SERVICE_MS,
      failure: 'could not count signatures',
      work: () => Promise.resolve(this.tell()),
    },
  ];

  constructor(private readonly log: ServiceContext['log']) {}

  readonly count = (signer: VerifiedRequest): VerifiedRequest => {
    if (!signer.namesService) this.#count++;
    return signer;
  };

  tell(): void {
    if (this.#count > 0)
      this.log.warn(
        { requests: this.#count },
        'signatures of heartbeats leave out "@authority": update those agents, because the next minor version refuses them',
      );
    this.#count = 0;
  }
}

/** @throws AppError `not_found` (the id is none) */
function presentKey(
  context: ServiceContext,
  former: FormerKeyIndex,
  nodeId: string,
): NodeKeyAnswer {
  if (!NODE_ID_PATTERN.test(nodeId))
    throw new AppError(
      'not_found',
      'No node can have this id: 2 to 64 characters, a-z, A-Z, 0-9, - and _.',
    );
  const pin = pinOf(context, nodeId);
  const revoked = former.revoked(nodeId);
  return {
    ok: true,
    nodeId,
    key: pin?.key ?? null,
    source: pin?.source ?? null,
    pinnedAt: pin?.pinnedAt.toISOString() ?? null,
    // Only where there is something to say: clients that don't know the field get none.
    ...(revoked.length > 0 && { revoked }),
  };
}
