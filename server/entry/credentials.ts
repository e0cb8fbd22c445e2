import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config } from '#server/config.ts';
import type { RequestSigner } from '#server/context.ts';
import { AppError, isAppError } from '#server/common/errors.schema.ts';
import type { EndpointRequest } from '#server/http/endpoint-request.ts';
import type { ServerContext } from './procedure-context.ts';
import type { RateLimits } from './rate-limits.ts';

/**
 * Makes the check of a node's credential. Outside production a request without the header is accepted; a wrong
 * credential never is.
 * @returns gets the header `authorization`, and the keyed hash of the client's address, which it computes only for a
 *   wrong credential; throws AppError `unauthorized`, `rate_limited`
 */
export function createCredentialCheck(
  config: Pick<Config, 'production' | 'webhookSecrets' | 'network'>,
  limits: Pick<RateLimits, 'countWrongCredential'>,
): (authorization: string | null, client: () => string) => void {
  // Digests have one length, so the time of a comparison does not give the secret's length away.
  const key = randomBytes(32).toString('hex');
  const digest = (text: string) => hash('sha256', key + text, 'buffer');
  const secrets = config.webhookSecrets.map(digest);
  const accepts = (token: string) => {
    const given = digest(token);
    let right = false;
    for (const secret of secrets) if (timingSafeEqual(given, secret)) right = true;
    return right;
  };

  const { contactUrl } = config.network;
  const ask = contactUrl === null ? '' : ` Ask for the secret: ${contactUrl}`;

  return (authorization, client) => {
    if (authorization === null && !config.production) return;
    const token = authorization?.match(/^Bearer +(\S+) *$/i)?.[1];
    if (token !== undefined && accepts(token)) return;
    limits.countWrongCredential(client());
    throw new AppError(
      'unauthorized',
      authorization === null
        ? `Send the network’s secret in the header "Authorization: Bearer <WEBHOOK_SECRET>".${ask}`
        : `The credential is wrong. Send "Authorization: Bearer <WEBHOOK_SECRET>" with the network’s secret.${ask}`,
    );
  };
}

/**
 * Waits for the check of a signature, at once if there is none.
 * @param signing what checks it; null: the request is not signed
 * @param nodeId for which the request speaks. Anything but a text is left to the schema
 * @param client the keyed hash of the client's address, computed only for a wrong signature
 * @param accept what else a signature is checked for
 * @returns null if nobody has signed it, and the node id is pinned to no key
 * @throws AppError `signature_invalid`, `signature_required`, `rate_limited`, and what `accept` throws
 */
export function verifySigner<Signer extends RequestSigner>(
  { services: { identity }, limits }: Pick<ServerContext, 'services' | 'limits'>,
  request: EndpointRequest,
  signing: Promise<Signer> | null,
  nodeId: unknown,
  client: () => string,
  accept: (signer: Signer) => void | Promise<void>,
): Signer | null | Promise<Signer> {
  if (signing)
    return signing
      .then(async (signer) => {
        if (typeof nodeId === 'string') identity.requireSigner(nodeId, signer.key);
        await accept(signer);
        return signer;
      })
      .catch((error: unknown) => countRefused(limits, client, error));
  try {
    if (typeof nodeId === 'string') identity.requireSigner(nodeId, null);
    return null;
  } catch (error) {
    // A script from before the pin, with the right secret: it must not use up the attempts of its whole network.
    if (request.header('authorization') !== null) throw error;
    return countRefused(limits, client, error);
  }
}

/** Throws the error, which counts as a wrong credential if it is about a signature. */
function countRefused(
  limits: ServerContext['limits'],
  client: () => string,
  error: unknown,
): never {
  if (isAppError(error) && error.code.startsWith('signature_'))
    limits.countWrongCredential(client());
  throw error;
}
