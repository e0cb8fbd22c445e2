import { isAppError } from '#server/common/errors.schema.ts';
import type { IdentityService } from '#server/identity/index.ts';
import type { EndpointRequest } from '#server/http/endpoint-request.ts';
import type { RateLimits } from './rate-limits.ts';

/**
 * Checks who has signed a node's request, at once if it is not signed.
 * @param request with `body` as it came in, null if it has none
 * @param claim with the `nodeId` for which it speaks, if it has one; the body is as good as any
 * @param client the keyed hash of the client's address, computed only for a wrong signature
 * @returns the public key that has signed it; null if none has, and the node id is pinned to none
 * @throws AppError `signature_invalid`, `signature_required`, `rate_limited`, `unavailable`
 */
export type SignerCheck = (
  request: EndpointRequest,
  body: string | null,
  claim: unknown,
  client: () => string,
) => string | null | Promise<string | null>;

export function createSignerCheck(
  identity: Pick<IdentityService, 'signer' | 'requireSigner'>,
  limits: Pick<RateLimits, 'wrongCredential'>,
): SignerCheck {
  const refuse = async (error: unknown, client: () => string): Promise<never> => {
    if (isAppError(error) && error.code !== 'unavailable') await limits.wrongCredential(client());
    throw error;
  };
  const checkSigned = async (signing: Promise<string>, claim: unknown, client: () => string) => {
    try {
      const signer = await signing;
      requireSigner(claim, signer);
      return signer;
    } catch (error) {
      return refuse(error, client);
    }
  };

  const requireSigner = (claim: unknown, signer: string | null) => {
    const { nodeId } = (claim ?? {}) as { nodeId?: unknown };
    // Anything but a text is left to the schema.
    if (typeof nodeId === 'string') identity.requireSigner(nodeId, signer);
  };

  return (request, body, claim, client) => {
    const signing = identity.signer(request, body);
    if (signing) return checkSigned(signing, claim, client);
    try {
      requireSigner(claim, null);
      return null;
    } catch (error) {
      // A script from before the pin, with the right secret: it must not use up the attempts of its whole network.
      if (request.header('authorization') !== null) throw error;
      return refuse(error, client);
    }
  };
}
