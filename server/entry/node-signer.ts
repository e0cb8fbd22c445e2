import { isAppError } from '#server/common/errors.schema.ts';
import type { EndpointRequest } from '#server/http/endpoint-request.ts';
import type { ServerContext } from './procedure-context.ts';

/**
 * Verifies who has signed a node's request, at once if it is not signed.
 * @param body as it came in; null if the request has none
 * @param claim what names the `nodeId` for which the request speaks, if it names one: the parsed body, for example
 * @param client the keyed hash of the client's address, computed only for a wrong signature
 * @returns the public key that has signed the request; null if none has, and the node id is pinned to none
 * @throws AppError `signature_invalid`, `signature_required`, `rate_limited`, `unavailable`
 */
export function verifySigner(
  { services: { identity }, limits }: Pick<ServerContext, 'services' | 'limits'>,
  request: EndpointRequest,
  body: string | null,
  claim: unknown,
  client: () => string,
): string | null | Promise<string | null> {
  const { nodeId } = (claim ?? {}) as { nodeId?: unknown };
  const requirePinned = (signer: string | null) => {
    // Anything but a text is left to the schema.
    if (typeof nodeId === 'string') identity.requireSigner(nodeId, signer);
    return signer;
  };
  const refuse = async (error: unknown): Promise<never> => {
    if (isAppError(error) && error.code !== 'unavailable')
      await limits.countWrongCredential(client());
    throw error;
  };

  const signing = identity.signer(request, body);
  if (signing) return signing.then(requirePinned).catch(refuse);
  try {
    return requirePinned(null);
  } catch (error) {
    // A script from before the pin, with the right secret: it must not use up the attempts of its whole network.
    if (request.header('authorization') !== null) throw error;
    return refuse(error);
  }
}
