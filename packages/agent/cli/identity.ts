import type { NodeKeyAnswer } from '@mesh-registry/client/index.ts';
import { peerIdOfKey } from '@mesh-registry/protocol/keys/peer-id.ts';
import { secretToSend } from '../config/secret.ts';
import { identityFile, readIdentity, type Identity } from '../identity/key-file.ts';
import { previousFile, rotate } from '../identity/rotate.ts';
import { SigningClock } from '../identity/signing-clock.ts';
import { nodeClient } from '../run/credentials.ts';
import { serviceClient } from '../run/service-client.ts';
import { configurationError } from '../base/exit.ts';
import { printResult, type Io } from '../terminal/io.ts';
import { configOf, type CommonOptions } from './kit.ts';

/** `mesh-agent identity show` */
export async function showIdentity(io: Io, options: CommonOptions): Promise<number> {
  const config = configOf(io, options);
  const identity = readIdentity(config, io.env);
  const service = serviceClient({ url: config.service.url, retries: 0 });
  const pin = await service.nodeKey(config.node.id);
  const peer = peerIdOfKey(identity.publicKey);
  const shown = {
    nodeId: config.node.id,
    key: identity.publicKey,
    peer,
    file: identity.file,
    pinned: pin.ok
      ? { key: pin.value.key, source: pin.value.source, at: pin.value.pinnedAt }
      : null,
    revoked: pin.ok ? isRevoked(pin.value, identity) : null,
    problem: pin.ok ? null : pin.problem.message,
  };
  return printResult(io, options, shown, [
    `Node  ${config.node.id}`,
    `Key   ${identity.publicKey}`,
    `Peer  ${peer}`,
    `File  ${identity.file}`,
    `Pin   ${pin.ok ? describePin(pin.value, identity) : `not known: ${pin.problem.message}`}`,
  ]);
}

const SOURCES: Record<NonNullable<NodeKeyAnswer['source']>, string> = {
  registration: 'by an accepted registration',
  first_use: 'by its first signed request',
  rotation: 'by a rotation',
  review: 'by a reviewer',
};

const isRevoked = ({ revoked = [] }: NodeKeyAnswer, { publicKey }: Identity) =>
  revoked.includes(publicKey);

function describePin(answer: NodeKeyAnswer, identity: Identity): string {
  const { key, source, pinnedAt } = answer;
  const { publicKey } = identity;
  if (isRevoked(answer, identity))
    return 'REVOKED: a reviewer has reset this key, and nothing that it signs is accepted. Make a new one: mesh-agent identity rotate';
  if (key === null)
    return 'none: the service accepts this id from others too. An accepted registration pins it: mesh-agent register NAME';
  const how = source === null ? '' : ` ${SOURCES[source]}, ${pinnedAt ?? ''}`;
  return key === publicKey
    ? `to this key${how}`
    : `to ANOTHER key, ${key}${how}. Nothing that this key signs is accepted.`;
}

/** `mesh-agent identity rotate` */
export async function rotateIdentity(io: Io, options: CommonOptions): Promise<number> {
  const config = configOf(io, options);
  if (identityFile(config, io.env) !== config.node.keyFile)
    throw configurationError(
      'systemd has given this process a copy of the key. Rotate as the user who owns the key itself.',
    );
  const identity = readIdentity(config, io.env);
  const clock = new SigningClock();
  const clientOf = (identity: Identity) =>
    nodeClient(
      config,
      { identity, secret: secretToSend(config, io.env) },
      { retries: 0, now: clock.now },
    );
  const rotated = await rotate({ config, identity, clientOf, clock });
  const { publicKey, file } = rotated.identity;
  const { how } = rotated;
  return printResult(
    io,
    options,
    { ok: true, how, key: publicKey, file },
    how === 'again'
      ? [`The service knew the previous key only, and is at the present one again: ${publicKey}`]
      : how === 'renewed'
        ? [
            `A reviewer had revoked the key. The new one: ${publicKey}`,
            `It is in ${file}: back it up. The old one is in ${previousFile(file)}.`,
            'Ask the reviewers for the new links of your registrations, prove each with: mesh-agent claim LINK. Then a reviewer pins the node to the new key.',
          ]
        : [
            `The node is pinned to its new key: ${publicKey}`,
            `It is in ${file}: back it up. The old one is in ${previousFile(file)}; keep it until the service has a back-up of its own with the new one.`,
            'A running agent uses it with its next request; one that systemd started has to be restarted.',
          ],
  );
}
