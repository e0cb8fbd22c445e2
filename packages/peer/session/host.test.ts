import { multiaddr } from '@multiformats/multiaddr';
import { expect, test } from 'vitest';
import { generateNodeKey } from '@mesh-registry/protocol/keys/node-key.ts';
import { createHost } from './host.ts';

const aHost = (listen: string[] = []) =>
  createHost({
    key: generateNodeKey(),
    listen,
    maxPeers: 8,
    receives: () => true,
    admits: () => true,
    dials: () => true,
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
