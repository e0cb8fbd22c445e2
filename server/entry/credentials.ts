import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config } from '#server/config.ts';
import { AppError } from '#server/common/errors.schema.ts';
import type { RateLimits } from './rate-limits.ts';

/**
 * Checks the credential of a node's POST.
 * @param authorization the header, or null
 * @param client the keyed hash of the client's address, computed only for a wrong credential
 * @throws AppError `unauthorized`, `rate_limited`
 */
export type CredentialCheck = (
  authorization: string | null,
  client: () => string,
) => void | Promise<never>;

/** Outside production a request without the header is accepted; a wrong credential never is. */
export function createCredentialCheck(
  config: Pick<Config, 'production' | 'webhookSecrets'>,
  limits: Pick<RateLimits, 'countWrongCredential'>,
): CredentialCheck {
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

  return (authorization, client) => {
    if (authorization === null && !config.production) return;
    const token = authorization?.match(/^Bearer +(\S+) *$/i)?.[1];
    if (token !== undefined && accepts(token)) return;
    return limits.countWrongCredential(client()).then(() => {
      throw new AppError(
        'unauthorized',
        authorization === null
          ? 'Send the network’s secret in the header "Authorization: Bearer <WEBHOOK_SECRET>".'
          : 'The credential is wrong. Send "Authorization: Bearer <WEBHOOK_SECRET>" with the network’s secret.',
      );
    });
  };
}
