import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { MeshRegistry, NodeKeyAnswer, Problem } from '@mesh-registry/client/index.ts';
import { syncFolder } from '@mesh-registry/protocol/durable-file.ts';
import { signNodeProof } from '@mesh-registry/protocol/keys/node-signature.ts';
import { CommandError, EXIT } from '../base/exit.ts';
import type { Config } from '../config/load.ts';
import { createIdentity, readIdentityFile, type Identity } from './key-file.ts';
import type { SigningClock } from './signing-clock.ts';

/** Where the keys of a rotation are: beside the one in use. */
const nextFile = (file: string) => `${file}.next`;
export const previousFile = (file: string) => `${file}.previous`;

interface Rotation {
  config: Config;
  /** The key in use. */
  identity: Identity;
  /** A client whose requests this key signs by `clock`, and that repeats nothing. */
  clientOf: (identity: Identity) => MeshRegistry;
  clock: SigningClock;
}

/**
 * Replaces the key of the node, at the service first. The new key is stored before the service hears of it, so
 * nothing is lost whenever this ends: called again, it goes on.
 * @returns the key in use from now on. `how` is `again` if the service had forgotten an earlier rotation, and knows the
 * present key again; `renewed` if a reviewer had revoked the present key: the service knows nothing of the new one yet
 * @throws CommandError if the node is not pinned to a key that is here, or the service refuses
 */
export async function rotate({
  config,
  identity,
  clientOf,
  clock,
}: Rotation): Promise<{ identity: Identity; how: 'rotated' | 'finished' | 'again' | 'renewed' }> {
  const { file } = identity;
  const { key: pinned, revoked = [] } = await knownKeys(clientOf(identity), config.node.id);
  const pending = readIfThere(nextFile(file));
  if (pending && pinned === pending.publicKey)
    return { how: 'finished', identity: useNext(file, pending) };
  if (revoked.includes(identity.publicKey)) {
    // Nothing can be proved by it any more, and nobody has to agree to another one.
    const next =
      pending && !revoked.includes(pending.publicKey) ? pending : renewNext(file, pending);
    return { how: 'renewed', identity: useNext(file, next) };
  }
  if (pinned === identity.publicKey) {
    const next = pending ?? createIdentity(nextFile(file));
    await replace({ config, identity, clientOf, clock }, identity, next);
    return { how: 'rotated', identity: useNext(file, next) };
  }
  const previous = readIfThere(previousFile(file));
  if (previous && pinned === previous.publicKey) {
    await replace({ config, identity, clientOf, clock }, previous, identity);
    return { how: 'again', identity };
  }
  throw new CommandError(
    pinned === null
      ? `The node ${config.node.id} is not pinned to a key yet, so there is none to replace. An accepted registration pins it.`
      : `The node ${config.node.id} is pinned to the key ${pinned}, which is not here. Only that key can be replaced by another; if it is lost, ask the reviewers of the service to reset it.`,
    EXIT.refused,
  );
}

/** A new key beside the one in use, in place of one there that was revoked too. */
function renewNext(file: string, pending: Identity | null): Identity {
  if (pending) rmSync(nextFile(file));
  return createIdentity(nextFile(file));
}

const readIfThere = (file: string) => (existsSync(file) ? readIdentityFile(file) : null);

/** @throws CommandError if the service does not say */
export const pinnedKey = async (client: MeshRegistry, nodeId: string): Promise<string | null> =>
  (await knownKeys(client, nodeId)).key;

/** What the service says of the node's keys. @throws CommandError if it does not */
async function knownKeys(client: MeshRegistry, nodeId: string): Promise<NodeKeyAnswer> {
  const answer = await client.nodeKey(nodeId);
  if (answer.ok) return answer.value;
  throw new CommandError(
    `The service does not say which key the node is pinned to. ${answer.problem.message}`,
    answer.problem.kind === 'refused' ? EXIT.refused : EXIT.unreachable,
  );
}

async function replace(
  { config, clientOf, clock }: Rotation,
  present: Identity,
  next: Identity,
): Promise<void> {
  const nodeId = config.node.id;
  const key = next.publicKey;
  const network = new URL(config.service.url).origin;
  const rotation = { action: 'rotate', network, nodeId, key, previous: present.publicKey } as const;
  const client = clientOf(present);
  const answer = await clock.send(client, () =>
    client.rotateKey(nodeId, { key, proof: signNodeProof(rotation, next.key, clock.now()) }),
  );
  if (answer.ok) return;
  // Without an answer it may have happened all the same.
  if (isUnsettled(answer.problem) && (await pinnedKey(client, nodeId)) === key) return;
  throw new CommandError(
    `The key was not replaced, and the present one stays in use. ${answer.problem.message}`,
    isUnsettled(answer.problem) ? EXIT.unreachable : EXIT.refused,
  );
}

const isUnsettled = (problem: Problem) => problem.kind !== 'refused' || problem.status >= 500;

/** The new key takes its place at once; the old one is kept beside it. */
function useNext(file: string, next: Identity): Identity {
  rmSync(previousFile(file), { force: true });
  linkSync(file, previousFile(file));
  renameSync(nextFile(file), file);
  syncFolder(dirname(file));
  return { ...next, file };
}
