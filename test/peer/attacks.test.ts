import { once } from 'node:events';
import net from 'node:net';
import { generateKeyPair } from '@libp2p/crypto/keys';
import { noise } from '@libp2p/noise';
import { tcp } from '@libp2p/tcp';
import { yamux } from '@libp2p/yamux';
import { multiaddr } from '@multiformats/multiaddr';
import { createLibp2p } from 'libp2p';
import { expect, test } from 'vitest';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { BLOCKS, CONTROL, TRUTH } from '@mesh-registry/peer/session/messages.schema.ts';
import { until } from '../support/until.ts';
import { closed, openWire } from './attacker.ts';
import { networkTruth, type APeer } from './peers.ts';
import { underAttack } from './under-attack.ts';

/** What strangers do before they have said hello. The friend of a peer must not notice. */

const portOf = ({ address }: APeer) => Number(address.split('/')[4]);

/** A plain TCP connection, from a host of its own. */
function connect(victim: APeer, from: string): net.Socket {
  const socket = net.connect({ port: portOf(victim), host: '127.0.0.1', localAddress: from });
  return socket.on('error', () => {}).resume();
}

const allClosed = async (sockets: readonly net.Socket[]) => {
  // Each may keep silent for so long.
  const limitMs = LIMITS.helloMs + 10_000;
  await until('all are closed', () => sockets.every(({ destroyed }) => destroyed), limitMs);
};

test.concurrent('500 connections of one host that say nothing', async ({ onTestFinished }) => {
  const { victim, expectFriendship } = await underAttack(onTestFinished);
  const sockets = Array.from({ length: 500 }, () => connect(victim, '127.0.0.2'));
  // One that the system never passed on to the peer ends with a byte that nobody expects.
  const probing = setInterval(() => sockets.forEach((socket) => socket.write('\n')), 1000);
  onTestFinished(() => {
    clearInterval(probing);
    for (const socket of sockets) socket.destroy();
  });
  await allClosed(sockets);
  await expectFriendship();
});

test.concurrent('a negotiation without end', async ({ onTestFinished }) => {
  const { victim, expectFriendship } = await underAttack(onTestFinished);
  const floods = ['\x02x\n'.repeat(30_000), '\x80'.repeat(90_000)].map((flood) => {
    const socket = connect(victim, '127.0.0.2');
    let answered = 0;
    socket.on('data', ({ length }) => (answered += length));
    socket.write(`\x13/multistream/1.0.0\n${flood}`);
    return { socket, answered: () => answered };
  });
  await allClosed(floods.map(({ socket }) => socket));
  for (const { answered } of floods) expect(answered()).toBeLessThan(3 * LIMITS.upgradeBytes);
  await expectFriendship();
});

test.concurrent('an encrypted connection without a hello', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  const silent = await attacker();
  const connection = await silent.dial(victim);
  // It negotiates streams, as if it would begin soon.
  await openWire(connection, CONTROL);
  await openWire(connection, TRUTH);
  await closed(connection);
  await until('it is counted', () => {
    const { refusals } = victim.peer.status;
    // By whichever limit was noticed first.
    return (refusals['hello_failed'] ?? 0) + (refusals['no_hello'] ?? 0) > 0;
  });
  await expectFriendship();
});

test.concurrent('a hello of one byte every 500 ms', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  const slow = await attacker();
  const connection = await slow.dial(victim);
  const control = await openWire(connection, CONTROL);
  const text = Buffer.from(JSON.stringify(slow.hello()));
  control.raw(Buffer.from([0x80 | (text.length & 0x7f), text.length >> 7]));
  const dripping = setInterval(() => {
    if (connection.status === 'open') control.raw(text.subarray(0, 1));
  }, 500);
  onTestFinished(() => clearInterval(dripping));
  await closed(connection);
  expect(victim.peer.status.sessions).toHaveLength(1);
  await expectFriendship();
});

test.concurrent('a message of 128 MiB is announced', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  const boaster = await attacker();
  const connection = await boaster.dial(victim);
  const control = await openWire(connection, CONTROL);
  control.raw(Buffer.from([0x80, 0x80, 0x80, 0x40]));
  expect(await control.next()).toEqual({ t: 'refuse', code: 'malformed' });
  await closed(connection);
  expect(victim.of('fault')).toMatchObject([{ peer: boaster.id, points: 50 }]);
  await expectFriendship();
});

test.concurrent('a length without end', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  const boaster = await attacker();
  const { connection, control } = await boaster.enter(victim);
  control.raw(Buffer.alloc(5, 0x80));
  await closed(connection);
  expect(victim.of('fault')).toMatchObject([{ peer: boaster.id, points: 50 }]);
  await expectFriendship();
});

test.concurrent('requests before the hello', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  victim.peer.takeTruth({ roots: [], truth: networkTruth() });
  const curious = await attacker();
  const connection = await curious.dial(victim);
  for (const [protocol, request] of [
    [TRUTH, { root: 0 }],
    [BLOCKS, { from: 1, max: 1 }],
  ] as const) {
    const wire = await openWire(connection, protocol);
    await wire.send(request).catch(() => {});
    await expect(wire.bytes()).rejects.toThrow();
  }
  const control = await openWire(connection, CONTROL);
  await control.send({ t: 'getpeers' });
  expect(await control.next()).toEqual({ t: 'refuse', code: 'malformed' });
  await expectFriendship();
});

test.concurrent('a hello and its signature are replayed', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  const [one, other] = await Promise.all([attacker(), attacker()]);
  const { hello, answer } = await one.enter(victim);
  const sig = one.proof(victim, hello, answer);
  for (const again of [one, other]) {
    const control = await openWire(await again.dial(victim), CONTROL);
    await control.send(hello);
    const fresh = await control.next();
    expect(fresh.t).toBe('hello');
    expect(fresh['nonce']).not.toBe(answer['nonce']);
    await control.send({ t: 'auth', sig });
    expect(await control.next()).toEqual({ t: 'refuse', code: 'bad_signature' });
  }
  expect(victim.of('fault').map(({ peer }) => peer)).toEqual([one.id, other.id]);
  await expectFriendship();
});

test.concurrent('who has a key of another kind gets no session, and is not remembered', async ({
  onTestFinished,
}) => {
  const { victim, expectFriendship } = await underAttack(onTestFinished);
  const host = await createLibp2p({
    privateKey: await generateKeyPair('secp256k1'),
    transports: [tcp({ dialOpts: { localAddress: '127.0.0.2' } as object })],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionManager: { reconnectRetries: 0 },
    connectionMonitor: { enabled: false },
    connectionGater: { denyDialMultiaddr: () => false },
  });
  onTestFinished(() => host.stop());
  const connection = await host.dial(multiaddr(victim.address)).catch(() => null);
  await until('it is cut', () => connection === null || connection.status !== 'open');
  await expectFriendship();
  expect(victim.of('fault')).toEqual([]);
});

// It needs most of a processor, so it runs after the others.
test('silent connections of eleven hosts keep nobody out: a newcomer gets in at once', async ({
  onTestFinished,
}) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished, {
    connectionsPerHostPerSecond: 50,
  });
  const newcomers = await Promise.all([2, 3].map((host) => attacker(`127.0.0.${host}`)));
  const sockets = Array.from({ length: 11 * 25 }, (_, n) =>
    connect(victim, `127.0.0.${10 + (n % 11)}`),
  );
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const newcomer of newcomers) await newcomer.enter(victim);
  await expectFriendship();
});
