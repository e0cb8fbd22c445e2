import { multiaddr } from '@multiformats/multiaddr';
import { expect, test } from 'vitest';
import { defaultCrypto } from '@libp2p/noise/crypto';
import { generateNodeKey } from '@mesh-registry/protocol/keys/node-key.ts';
import { LIMITS } from '../base/limits.ts';
import { Backlog } from '../guard/backlog.ts';
import { Budgets } from '../guard/budgets.ts';
import { createHost, noiseCrypto } from './host.ts';

const budgets = new Budgets(LIMITS);

const aHost = (listen: string[] = []) =>
  createHost({
    key: generateNodeKey(),
    listen,
    receives: () => true,
    admits: () => true,
    dials: () => true,
    budgetOf: (address) => budgets.of(address),
    backlog: new Backlog(LIMITS.backlogBytesInAll),
  });

test('nothing is remembered of peers that have come and gone', async () => {
  const host = await aHost(['/ip4/127.0.0.1/tcp/0']);
  await host.handle('/test/1', () => {});
  const [address] = host.getMultiaddrs();
  const counts: number[] = [];
  try {
    for (let n = 0; n < 3; n++) {
      const guest = await aHost();
      const connection = await guest.dial(multiaddr(address?.toString()));
      // With its first stream a peer gets into the store of libp2p.
      await connection.newStream('/test/1');
      counts.push((await host.peerStore.all()).length);
      await guest.stop();
      await expect.poll(() => host.getConnections().length).toBe(0);
    }
    await expect.poll(async () => (await host.peerStore.all()).length).toBe(0);
    expect(Math.max(...counts)).toBeGreaterThan(0);
  } finally {
    await host.stop();
  }
});

test('both sides come to the secret that libp2p comes to, with keys of any bytes', () => {
  for (let round = 0; round < 20; round++) {
    const [one, other] = [
      noiseCrypto.generateX25519KeyPair(),
      defaultCrypto.generateX25519KeyPair(),
    ];
    const secret = Buffer.from(
      noiseCrypto.generateX25519SharedKey(one.privateKey, other.publicKey),
    );
    expect(secret).toHaveLength(32);
    for (const crypto of [noiseCrypto, defaultCrypto]) {
      const theirs = crypto.generateX25519SharedKey(other.privateKey, one.publicKey);
      expect(secret.equals(theirs)).toBe(true);
    }
  }
});

test('a public key for which every secret would be the same is refused', () => {
  const { privateKey } = noiseCrypto.generateX25519KeyPair();
  expect(() => noiseCrypto.generateX25519SharedKey(privateKey, new Uint8Array(32))).toThrow();
});
