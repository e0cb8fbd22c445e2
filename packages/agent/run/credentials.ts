import type { ClientOptions, MeshRegistry } from '@mesh-registry/client/index.ts';
import { signRequest } from '@mesh-registry/protocol/keys/node-signature.ts';
import type { Config } from '../config/load.ts';
import type { Env } from '../config/paths.ts';
import { secretToSend, type Secret } from '../config/secret.ts';
import { readIdentity, type Identity } from '../identity/key-file.ts';
import { serviceClient } from './service-client.ts';

export interface Credentials {
  secret: Secret | null;
  identity: Identity;
}

/** As they are now: a secret or key that was replaced is used by the next request. @throws CommandError */
export const readCredentials = (config: Config, env: Env): Credentials => ({
  secret: secretToSend(config, env),
  identity: readIdentity(config, env),
});

/** A client that signs what it sends as the node, and adds the network's secret. @param options.now of signatures */
export const nodeClient = (
  config: Config,
  { secret, identity }: Credentials,
  {
    now,
    ...options
  }: Omit<ClientOptions, 'url' | 'secret' | 'authorize'> & { now?: () => number } = {},
): MeshRegistry =>
  serviceClient({
    ...options,
    url: config.service.url,
    ...(secret && { secret: secret.value }),
    authorize: (request) => signRequest(request, identity.key, now?.()),
  });
