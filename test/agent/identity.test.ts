import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { MeshRegistry } from '@mesh-registry/client/index.ts';
import type { Config } from '@mesh-registry/agent/config/load.ts';
import {
  createIdentity,
  readIdentityFile,
  type Identity,
} from '@mesh-registry/agent/identity/key-file.ts';
import { rotate } from '@mesh-registry/agent/identity/rotate.ts';
import { SigningClock } from '@mesh-registry/agent/identity/signing-clock.ts';
import { nodeClient } from '@mesh-registry/agent/run/credentials.ts';
import { freshId } from '../contract/contract.ts';
import { pin } from '../support/node-keys.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** The rotation of a node's key, against the real service. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function aNode({ pinned = true, clockOffMs = 0 } = {}) {
  const folder = temporaryDirectory();
  onTestFinished(folder.remove);
  const nodeId = freshId();
  const file = join(folder.path, 'identity.key');
  const identity = createIdentity(file);
  if (pinned) await pin(server, nodeId, identity.key);
  const config: Config = {
    file: join(folder.path, 'config.toml'),
    service: { url: server.url, secretFile: null, insecureHttp: false },
    node: { id: nodeId, keyFile: file },
    map: { lat: 37.5, lng: -122.5 },
    compute: [],
  };
  const clock = new SigningClock(() => Date.now() + clockOffMs);
  const clientOf = (identity: Identity, fetch?: typeof globalThis.fetch): MeshRegistry =>
    nodeClient(config, { identity, secret: null }, { retries: 0, fetch, now: clock.now });
  const pinnedKey = async () => {
    const answer = await clientOf(identity).nodeKey(nodeId);
    return answer.ok ? answer.value.key : answer.problem.message;
  };
  return {
    config,
    clientOf,
    pinnedKey,
    file,
    identity,
    /** As the command does it, with the key that is there now. */
    rotate: (fetch?: typeof globalThis.fetch) =>
      rotate({
        config,
        identity: readIdentityFile(file),
        clientOf: (key) => clientOf(key, fetch),
        clock,
      }),
    ping: (key: Identity) => clientOf(key).ping({ nodeId, lat: 37.5, lng: -122.5 }),
  };
}

/** The request arrives, its answer does not. */
const withoutAnswer: typeof globalThis.fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (init?.method !== 'PUT') return response;
  throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
};

describe('a key that a reviewer has revoked', () => {
  it('is refused with what to do, and is replaced without the service', async () => {
    const node = await aNode();
    const { identity: known } = server.services;
    const nodeId = node.config.node.id;
    await known.reset({ nodeId, reviewer: 'ada@example.org', reason: 'stolen' });
    const refused = await node.ping(node.identity);
    expect(refused).toMatchObject({
      ok: false,
      problem: { code: 'signature_invalid', message: expect.stringContaining('identity rotate') },
    });
    const { how, identity } = await node.rotate();
    expect(how).toBe('renewed');
    expect(readIdentityFile(node.file).publicKey).toBe(identity.publicKey);
    expect(readIdentityFile(`${node.file}.previous`).publicKey).toBe(node.identity.publicKey);
    expect((await node.ping(identity)).ok).toBe(true);
    // The service still has to hear of it: by a claim.
    await expect(node.rotate()).rejects.toThrow('is not pinned to a key yet');
    expect(await node.pinnedKey()).toBeNull();
  });
});

describe('a rotation', () => {
  it('is signed once more, by the service’s clock, where this machine’s is slow', async () => {
    // As if the service had started since.
    const node = await aNode({ clockOffMs: -240_000 });
    const { how, identity } = await node.rotate();
    expect(how).toBe('rotated');
    expect(await node.pinnedKey()).toBe(identity.publicKey);
  });

  it('pins the new key, keeps the old one beside it, and locks the old one out', async () => {
    const node = await aNode();
    const { how, identity } = await node.rotate();
    expect(how).toBe('rotated');
    expect(await node.pinnedKey()).toBe(identity.publicKey);
    expect(readIdentityFile(node.file).publicKey).toBe(identity.publicKey);
    expect(readIdentityFile(`${node.file}.previous`).publicKey).toBe(node.identity.publicKey);
    for (const file of [node.file, `${node.file}.previous`])
      expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await node.ping(identity)).toMatchObject({ ok: true });
    expect(await node.ping(node.identity)).toMatchObject({
      ok: false,
      problem: { code: 'signature_required' },
    });
  });

  it('whose answer is lost is finished all the same', async () => {
    const node = await aNode();
    const { identity } = await node.rotate(withoutAnswer);
    expect(await node.pinnedKey()).toBe(identity.publicKey);
    expect(readIdentityFile(node.file).publicKey).toBe(identity.publicKey);
  });

  it('that was interrupted before the file was replaced goes on when called again', async () => {
    const node = await aNode();
    const before = readFileSync(node.file, 'utf8');
    const { identity } = await node.rotate();
    // As if it had ended before its last step.
    renameSync(node.file, `${node.file}.next`);
    renameSync(`${node.file}.previous`, node.file);
    expect(readFileSync(node.file, 'utf8')).toBe(before);
    expect(await node.rotate()).toMatchObject({
      how: 'finished',
      identity: { publicKey: identity.publicKey },
    });
    expect(await node.ping(readIdentityFile(node.file))).toMatchObject({ ok: true });
  });

  it('that the service does not answer changes nothing, and is repeated with the same new key', async () => {
    const node = await aNode();
    const away: typeof globalThis.fetch = (input, init) =>
      init?.method === 'PUT'
        ? Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }))
        : fetch(input, init);
    await expect(node.rotate(away)).rejects.toThrow('the present one stays in use');
    expect(readIdentityFile(node.file).publicKey).toBe(node.identity.publicKey);
    const pending = readIdentityFile(`${node.file}.next`).publicKey;
    expect((await node.rotate()).identity.publicKey).toBe(pending);
    expect(existsSync(`${node.file}.next`)).toBe(false);
  });

  it('that a service forgot, restored from a back-up, is made again with the present key', async () => {
    const node = await aNode();
    // The back-up is from before the rotation: the service has never heard of it.
    const { file, identity } = node;
    renameSync(file, `${file}.previous`);
    const present = createIdentity(file);
    expect(await node.ping(present)).toMatchObject({ ok: false });
    expect(await node.rotate()).toMatchObject({
      how: 'again',
      identity: { publicKey: present.publicKey },
    });
    expect(await node.pinnedKey()).toBe(present.publicKey);
    expect(await node.ping(identity)).toMatchObject({ ok: false });
  });

  it('of a node that is not pinned, or to a key of others, is refused and changes nothing', async () => {
    const unpinned = await aNode({ pinned: false });
    await expect(unpinned.rotate()).rejects.toThrow('is not pinned to a key yet');
    const other = await aNode({ pinned: false });
    mkdirSync(join(other.file, '..', 'other'));
    await pin(
      server,
      other.config.node.id,
      createIdentity(join(other.file, '..', 'other', 'key')).key,
    );
    await expect(other.rotate()).rejects.toThrow('ask the reviewers of the service to reset it');
    for (const { file, identity } of [unpinned, other]) {
      expect(readIdentityFile(file).publicKey).toBe(identity.publicKey);
      expect(existsSync(`${file}.next`)).toBe(false);
    }
  });
});
