import { statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamMuxer } from '@libp2p/interface';
import { expect, test } from 'vitest';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { HOST_REFUSED_AT } from '@mesh-registry/peer/guard/conduct.ts';
import { BLOCKS, CONTROL } from '@mesh-registry/peer/session/messages.schema.ts';
import { aSubject, signed } from '../support/peer-records.ts';
import { until } from '../support/until.ts';
import { closed, openWire } from './attacker.ts';
import { expectCut, expires, flood, longAddresses } from './attack-tools.ts';
import { underAttack } from './under-attack.ts';

/** What a peer does after an honest hello. The friend of its victim must not notice. */

test.concurrent('a flood of pings, and coming back at once', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  const flooder = await attacker();
  const entered = await flooder.enter(victim);
  entered.control.attend();
  const sent = await flood(entered, () => ({ t: 'ping', n: 'x' }));
  expect(sent).toBeGreaterThanOrEqual(LIMITS.messagesBurst);
  expectCut(victim, flooder.id, 20);
  await expect(flooder.enterOnce(victim)).rejects.toThrow();
  await expectFriendship();
});

test.concurrent('a control message of 200 kB', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  const bloated = await attacker();
  const { connection, control } = await bloated.enter(victim);
  await control.send(Buffer.alloc(200_000, ' ')).catch(() => {});
  await closed(connection);
  expect(victim.peer.status.sessions).toHaveLength(1);
  await expectFriendship();
});

test.concurrent('1,000 streams', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  const greedy = await attacker();
  const { connection } = await greedy.enter(victim);
  const opened = await Promise.allSettled(
    Array.from({ length: 1000 }, () => openWire(connection, BLOCKS)),
  );
  expect(opened.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(16);
  await closed(connection);
  await expectFriendship();
});

test.concurrent('frames of Yamux: too long, too many, a negotiation without end', async ({
  onTestFinished,
}) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  const frame = (type: number, flags: number, stream: number, length: number) => {
    const header = Buffer.alloc(12);
    header.writeUInt8(type, 1);
    header.writeUInt16BE(flags, 2);
    header.writeUInt32BE(stream, 4);
    header.writeUInt32BE(length, 8);
    return header;
  };
  const lines = Buffer.from('\x13/multistream/1.0.0\n' + '\x02x\n'.repeat(20_000));
  const PINGS = Array.from({ length: LIMITS.framesBurst + 10_000 }, () => frame(2, 1, 0, 7));
  for (const bytes of [
    frame(0, 0, 77, LIMITS.frameBytes + 1),
    // A new stream, and what it says at once.
    Buffer.concat([frame(1, 1, 77, 0), frame(0, 0, 77, lines.length), lines]),
    Buffer.concat(PINGS),
  ]) {
    const rude = await attacker();
    const { connection } = await rude.enter(victim);
    const { muxer } = connection as unknown as { muxer: StreamMuxer & { maConn: Sender } };
    // Answers are not what it expects.
    Object.assign(muxer, { handlePingResponse: () => {} });
    muxer.maConn.send(bytes);
    await closed(connection);
  }
  expect(victim.peer.status.sessions).toHaveLength(1);
  await expectFriendship();
});

interface Sender {
  send: (bytes: Uint8Array) => boolean;
}

test.concurrent('a second control stream', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  const twofold = await attacker();
  const { connection, control } = await twofold.enter(victim);
  // It answers pings, so that it is not cut off as silent.
  const said = control.attend();
  const second = await openWire(connection, CONTROL).catch(() => null);
  await second?.send(twofold.hello()).catch(() => {});
  await expect(second ? second.next() : Promise.reject(new Error('refused'))).rejects.toThrow();
  // The first one goes on.
  await control.send({ t: 'ping', n: 'still' });
  await until('it is answered', () => said.some(({ t, n }) => t === 'pong' && n === 'still'));
  await expectFriendship();
});

test.concurrent('40 identities of one host', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  let admitted = 0;
  for (let tried = 0; tried < 40; tried++) {
    const sybil = await attacker();
    await sybil.enter(victim).then(
      ({ control }) => {
        control.attend();
        admitted++;
      },
      () => {},
    );
    if (tried % 10 === 9) await sleep(1000);
  }
  expect(admitted).toBeLessThanOrEqual(8);
  expect(victim.peer.status.sessions.length).toBeLessThanOrEqual(9);
  // Others still come in.
  const other = await attacker('127.0.0.3');
  await other.enter(victim);
  await expectFriendship();
});

test.concurrent('who never reads loses the session', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished, {
    // Not for the pongs that it does not send.
    intervals: { ping: 5000, gossip: 2000, refresh: 1000, dial: 200 },
  });
  const deaf = await attacker();
  const { connection, control } = await deaf.enter(victim);
  for (let n = 0; n < 8; n++)
    await control.send({
      t: 'peers',
      records: Array.from({ length: 16 }, (_, i) =>
        signed(aSubject(), longAddresses(16 * n + i), { expires }),
      ),
    });
  control.stream.pause();
  for (let n = 0; n < 18; n++) await control.send({ t: 'getpeers' });
  await closed(connection);
  expect(victim.of('disconnected')).toMatchObject([{ peer: deaf.id, reason: 'lost' }]);
  await expectFriendship();
});

test.concurrent('a new key each time: after two that were refused, nobody new gets in from the host, and those who are in stay', async ({
  onTestFinished,
}) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished, {
    connectionsPerHostPerSecond: 50,
    pointsPerHost: HOST_REFUSED_AT,
  });
  const host = '127.0.0.2';
  const neighbour = await (await attacker(host)).enter(victim);
  neighbour.control.attend();
  const stored = new Set<number>();
  const file = join(victim.directory, 'conduct.json');
  const look = () => {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats) stored.add(stats.mtimeMs);
  };
  const watcher = watch(victim.directory, look);
  onTestFinished(() => watcher.close());
  let entered = 0;
  const refusals: string[] = [];
  for (let tried = 0; tried < 6; tried++)
    try {
      const flooder = await (await attacker(host)).enter(victim);
      flooder.control.attend();
      entered++;
      await flood(flooder, () => ({ t: 'ping', n: 'x' }));
    } catch (error) {
      refusals.push((error as Error).message);
    }
  // On a slow machine a point or two are forgiven meanwhile.
  expect(entered).toBeGreaterThanOrEqual(2);
  expect(entered).toBeLessThanOrEqual(3);
  expect(new Set(refusals)).toEqual(new Set(['busy']));
  // However many are refused, the disk has its rest.
  await until('the refusals are stored', () => stored.size > 0);
  expect(stored.size).toBe(1);
  expect(neighbour.connection.status).toBe('open');
  await (await attacker('127.0.0.3')).enter(victim);
  await expectFriendship();
});

test.concurrent('who comes back, with the same key or another, finds the budget of its host as it left it', async ({
  onTestFinished,
}) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished, {
    connectionsPerHostPerSecond: 50,
  });
  let answered = 0;
  const since = performance.now();
  for (let n = 0; n < 12; n++) {
    const one = await attacker('127.0.0.2');
    const { connection, control } = await one.enter(victim);
    // A session may send as many at once, and its answers to pings: no fault.
    for (let sent = 10; sent < LIMITS.messagesBurst; sent++)
      await control.send({ t: 'ping', n: 'x' });
    await sleep(100);
    const said = control.attend();
    await sleep(100);
    answered += said.filter(({ t }) => t === 'pong').length;
    await connection.close();
  }
  const sessions = LIMITS.connectionsPerHost / 2;
  const granted =
    sessions *
    (LIMITS.messagesBurst + (LIMITS.messagesPerSecond * (performance.now() - since)) / 1000);
  expect(answered).toBeLessThanOrEqual(granted);
  expect(victim.of('fault')).toEqual([]);
  await expectFriendship();
});
