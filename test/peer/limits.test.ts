import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, StreamMuxer } from '@libp2p/interface';
import { test } from 'vitest';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { BLOCKS, CONTROL, TRUTH } from '@mesh-registry/peer/session/messages.schema.ts';
import { FRAME_BYTES_MAX } from '@mesh-registry/protocol/log/block.schema.ts';
import { chain } from '../support/blocks.ts';
import { HOUR } from '../support/network-truth.ts';
import { until } from '../support/until.ts';
import { expectCut, flood, stranger } from './attack-tools.ts';
import { Attacker, closed, openWire, Wire, type Message } from './attacker.ts';
import { pack } from './pack.ts';
import { aPeer, blocks, type APeer, type WhenDone } from './peers.ts';

/**
 * What a peer grants to another one, and takes for itself: so much at once, so many in a second, and no more. Where time
 * counts, the bound is of what the time that has passed allows, so a slow machine changes nothing.
 */

/** What a token bucket has given at most since a moment of `performance.now()`. */
const granted = (burst: number, perSecond: number, since: number) =>
  burst + (perSecond * (performance.now() - since)) / 1000 + 1;

async function anAttacker(whenDone: WhenDone, from?: string): Promise<Attacker> {
  const attacker = await Attacker.create(from);
  whenDone(attacker.stop);
  return attacker;
}

/** A peer, and a stranger who has a session with it and answers its pings. */
async function acquainted(whenDone: WhenDone, hello: object = {}) {
  const victim = await aPeer({}, whenDone);
  const stranger = await anAttacker(whenDone);
  const since = performance.now();
  const entered = await stranger.enter(victim, hello);
  return { victim, stranger, since, ...entered, said: entered.control.attend() };
}

const portOf = ({ address }: APeer) => Number(address.split('/')[4]);

const faultsOf = (victim: APeer) => victim.of('fault').map(({ points, why }) => ({ points, why }));

test.concurrent('an answer with blocks: packs and a batch of limited size, of no more blocks than may be asked for', async ({
  expect,
  onTestFinished,
}) => {
  const { victim, connection } = await acquainted(onTestFinished);
  const body = Buffer.alloc(60_000, 'x');
  const large = chain({ count: 90, start: Date.now() - HOUR, body: () => body });
  await victim.peer.takeBlocks(large);
  const wire = await openWire(connection, BLOCKS);
  await wire.send({ from: 1, max: LIMITS.batchBlocks });
  let bytes = 0;
  for (let part; (part = await wire.bytes()).length > 0; bytes += part.length)
    expect(part.length).toBeLessThanOrEqual(LIMITS.packBytes + FRAME_BYTES_MAX);
  expect(bytes).toBeGreaterThan(LIMITS.batchBytes / 2);
  expect(bytes).toBeLessThanOrEqual(LIMITS.batchBytes + 90 * 4);
  expect(faultsOf(victim)).toEqual([]);
  const greedy = await openWire(connection, BLOCKS);
  await greedy.send({ from: 1, max: LIMITS.batchBlocks + 1 });
  await expect(greedy.bytes()).rejects.toThrow();
  expect(faultsOf(victim)).toMatchObject([{ points: 50, why: 'not a message: max' }]);
});

test.concurrent('what all peers together are sent in a second: hosts take turns', async ({
  expect,
  onTestFinished,
}) => {
  const rate = LIMITS.uploadBytesPerSecondMin;
  const victim = await aPeer({ maxUploadRate: rate }, onTestFinished);
  const body = Buffer.alloc(30_000, 'x');
  await victim.peer.takeBlocks(chain({ count: 30, start: Date.now() - HOUR, body: () => body }));
  const most = { burst: rate, perSecond: rate, part: rate / 4 + FRAME_BYTES_MAX };
  const got = new Map<string, number>();
  const download = async (host: string, connection: Connection, blocks: number) => {
    const wire = await openWire(connection, BLOCKS);
    await wire.send({ from: 1, max: blocks });
    for (let part; (part = await wire.bytes()).length > 0;)
      got.set(host, (got.get(host) ?? 0) + part.length);
  };
  const greedy = await (await anAttacker(onTestFinished, '127.0.0.2')).enter(victim);
  const modest = await (await anAttacker(onTestFinished, '127.0.0.3')).enter(victim);
  for (const { control } of [greedy, modest]) control.attend();
  const since = performance.now();
  const all = Promise.all([1, 2].map(() => download('greedy', greedy.connection, 30)));
  await until('the first has some', () => got.has('greedy'));
  await download('modest', modest.connection, 3);
  // It got all it asked for before the other one, who asked first.
  expect(got.get('greedy')).toBeLessThan(2 * 30 * body.length);
  await all;
  const sent = [...got.values()].reduce((one, other) => one + other);
  expect(sent).toBeGreaterThan(63 * body.length);
  expect(sent).toBeLessThanOrEqual(granted(most.burst + most.part, most.perSecond, since));
});

test.concurrent('streams: two of a protocol are served at a time, and others once these have ended', async ({
  expect,
  onTestFinished,
}) => {
  const { victim, connection, control, said } = await acquainted(onTestFinished);
  await victim.peer.takeBlocks(blocks(1));
  const idle = await Promise.all([1, 2].map(() => openWire(connection, BLOCKS)));
  // Settled with the victim, not only here.
  const probe = async () => {
    const wire = await openWire(connection, BLOCKS);
    await wire.send({ from: 1, max: 1 });
    return (await wire.bytes()).length;
  };
  await expect(probe()).rejects.toThrow();
  for (const { stream } of idle) stream.abort(new Error('ended'));
  await until('there is room', () => probe().then(Boolean, () => false));
  // Without a word on them, their protocols do not count.
  const { muxer } = connection as unknown as { muxer: StreamMuxer };
  const silent = await Promise.all(Array.from({ length: 30 }, () => muxer.createStream()));
  await control.send({ t: 'ping', n: 'refused by now' });
  await until('it has read that', () => said.some(({ n }) => n === 'refused by now'));
  const open = silent.filter(({ status }) => status === 'open');
  expect(open.length).toBeGreaterThan(0);
  expect(open.length).toBeLessThan(LIMITS.streamsPerConnection);
});

test.concurrent('answers with a truth that are awaited from peers that came in', async ({
  expect,
  onTestFinished,
}) => {
  const victim = await aPeer({}, onTestFinished);
  let [open, most] = [0, 0];
  const stalling = async () => {
    const liar = await anAttacker(onTestFinished);
    await liar.host.handle(TRUTH, (stream) => {
      most = Math.max(most, ++open);
      stream.addEventListener('close', () => open--);
    });
    (await liar.enter(victim, { truth: 1000 })).control.attend();
  };
  await Promise.all(Array.from({ length: 2 * LIMITS.inboundFetches + 2 }, stalling));
  await until('some are asked', () => open >= LIMITS.inboundFetches);
  await sleep(1000);
  expect(most).toBe(LIMITS.inboundFetches);
});

test.concurrent('what a peer has: told now and then, never the same twice, and the last of it always', async ({
  expect,
  onTestFinished,
}) => {
  const { victim, control, since, said } = await acquainted(onTestFinished);
  const told = () => said.filter(({ t }) => t === 'have').map(({ height }) => height);
  const all = blocks(60);
  for (const frame of all) {
    await victim.peer.takeBlocks([frame]);
    // Longer than it waits for more to tell at once.
    await sleep(25);
  }
  await until('the last is told', () => told().includes(all.length));
  // Who has less is told what there is, but once.
  for (let again = 0; again < 10; again++) {
    await control.send({ t: 'have', root: 1, truth: 0, height: 0 });
    await sleep(LIMITS.haveMs / 5);
  }
  const heights = told();
  expect(new Set(heights).size).toBe(heights.length);
  expect(heights).toEqual([...heights].sort((one, other) => Number(one) - Number(other)));
  expect(heights.length).toBeLessThanOrEqual(granted(1, 1000 / LIMITS.haveMs, since));
});

test.concurrent('what a peer has: told with a ping to who has as much already', async ({
  expect,
  onTestFinished,
}) => {
  const victim = await aPeer({ intervals: { ping: 500 } }, onTestFinished);
  const stranger = await anAttacker(onTestFinished);
  const { control } = await stranger.enter(victim, { height: 3 });
  const said = control.attend();
  await until('they have met', () => victim.of('connected').length > 0);
  await victim.peer.takeBlocks(blocks(3));
  await until('it is told', () => said.some(({ height }) => height === 3));
  const order = said.map(({ t }) => t).filter((t) => t === 'ping' || t === 'have');
  // The first one is sent when they meet.
  expect(order.indexOf('have')).toBeGreaterThanOrEqual(2);
});

test.concurrent('pings: three without an answer end the session, which is no fault', async ({
  expect,
  onTestFinished,
}) => {
  const victim = await aPeer({}, onTestFinished);
  const silent = await anAttacker(onTestFinished);
  const { connection, control } = await silent.enter(victim);
  const pings: Message[] = [];
  const reading = (async () => {
    for (;;) {
      const message = await control.next();
      if (message.t === 'ping') pings.push(message);
    }
  })().catch(() => {});
  await closed(connection);
  await reading;
  expect(pings).toHaveLength(LIMITS.missedPings);
  expect(victim.of('disconnected')).toMatchObject([{ peer: silent.id, reason: 'no pong' }]);
  expect(victim.of('fault')).toEqual([]);
});

test.concurrent('a message of the greatest length, and one byte more', async ({
  expect,
  onTestFinished,
}) => {
  const { victim, control, connection, said } = await acquainted(onTestFinished);
  const padded = (n: string, bytes: number) =>
    Buffer.from(JSON.stringify({ t: 'ping', n }).padEnd(bytes));
  await control.send(padded('most', LIMITS.controlBytes));
  await until('it is answered', () => said.some(({ t, n }) => t === 'pong' && n === 'most'));
  expect(victim.of('fault')).toEqual([]);
  await control.send(padded('more', LIMITS.controlBytes + 1));
  await closed(connection);
  expect(faultsOf(victim)).toMatchObject([{ points: 50 }]);
  expect(said.filter(({ n }) => n === 'more')).toEqual([]);
});

test.concurrent('bytes of control messages: a host has so many, whatever its keys', async ({
  expect,
  onTestFinished,
}) => {
  const { connectionsPerHost, bytesBurst, bytesPerSecond } = LIMITS;
  const victim = await aPeer({ connectionsPerHost }, onTestFinished);
  const message = Buffer.from(JSON.stringify({ t: 'ping', n: 'long' }).padEnd(60_000));
  const since = performance.now();
  let answered = 0;
  // Twice as many as a host may send at once, as long as they are answered without delay.
  for (let n = 0; n < 3; n++) {
    const { connection, control } = await (await anAttacker(onTestFinished)).enter(victim);
    const said = control.attend();
    const pongs = () => said.filter(({ t, n: of }) => t === 'pong' && of === 'long').length;
    for (let sent = 0; sent < 42 && performance.now() - since < 3000; sent++) {
      // Not so many at a time that they are too many to wait.
      await until('the last are answered', () => sent - pongs() < 4);
      await control.send(message);
    }
    answered += pongs();
    connection.abort(new Error('enough'));
  }
  const sessions = connectionsPerHost / 2;
  const most = granted(sessions * bytesBurst, sessions * bytesPerSecond, since);
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThanOrEqual(most / message.length + 1);
});

test.concurrent('a truth that is longer than one may be', async ({ expect, onTestFinished }) => {
  const victim = await aPeer({}, onTestFinished);
  const carrier = await anAttacker(onTestFinished);
  const answer = JSON.stringify({ roots: [], truth: null }).padEnd(LIMITS.truthBytes + 1);
  await carrier.host.handle(TRUTH, (stream) => {
    const wire = new Wire(stream);
    void wire
      .bytes()
      .then(() => wire.send(Buffer.from(answer)))
      .catch(() => {});
  });
  (await carrier.enter(victim, { truth: 9 })).control.attend();
  await until('it is punished', () => faultsOf(victim).length > 0);
  expect(faultsOf(victim)).toMatchObject([{ points: 50 }]);
});

test.concurrent('records: in one message, and in all', async ({ expect, onTestFinished }) => {
  const record = stranger(1);
  const records = (count: number) => ({
    t: 'peers',
    records: Array(count).fill(record) as object[],
  });
  const one = await acquainted(onTestFinished);
  await one.control.send(records(LIMITS.recordsPerMessage + 1));
  await closed(one.connection);
  expect(faultsOf(one.victim)).toEqual([{ points: 50, why: 'not a message: records' }]);

  const { victim, stranger: flooder, ...entered } = await acquainted(onTestFinished);
  const sent = await flood(entered, () => records(LIMITS.recordsPerMessage));
  expect(sent * LIMITS.recordsPerMessage).toBeGreaterThan(LIMITS.recordsBurst);
  expectCut(victim, flooder.id, 20);
  expect(faultsOf(victim).at(0)?.why).toBe('too many records');
});

test.concurrent('pongs that nobody has asked for', async ({ onTestFinished }) => {
  const { victim, stranger: flooder, ...entered } = await acquainted(onTestFinished);
  await flood(entered, () => ({ t: 'pong', n: 'x' }));
  expectCut(victim, flooder.id, 5);
});

test.concurrent('an encrypted connection on which nothing is said ends, however many messages the hello takes', async ({
  expect,
  onTestFinished,
}) => {
  const victim = await aPeer({}, onTestFinished);
  const [silent, slow] = [await anAttacker(onTestFinished), await anAttacker(onTestFinished)];
  const quiet = await silent.dial(victim);
  // Its stream has begun, and the first message is late.
  const mute = await (await anAttacker(onTestFinished)).dial(victim);
  await openWire(mute, CONTROL);
  const connection = await slow.dial(victim);
  const control = await openWire(connection, CONTROL);
  // Its hello comes in time, and for its proof it would have time beyond that of the whole.
  await sleep(0.62 * LIMITS.helloMessageMs);
  await control.send(slow.hello());
  expect((await control.next()).t).toBe('hello');
  await Promise.all([connection, quiet, mute].map(closed));
  expect(victim.of('connected')).toEqual([]);
  // The third one did not get as far.
  expect(victim.peer.status.refusals['no_hello']).toBe(2);
});

// These need most of a processor, or answers in time: they run one after the other.

test('a batch of blocks that takes too long: what has come counts, and is no fault', async ({
  expect,
  onTestFinished,
}) => {
  const victim = await aPeer({ batchMs: 2000 }, onTestFinished);
  const all = blocks(100);
  const slow = await anAttacker(onTestFinished);
  const sent: number[] = [];
  await slow.host.handle(BLOCKS, (stream) => {
    const wire = new Wire(stream);
    const drip = async () => {
      const { from, max } = await wire.next();
      const request = sent.push(0) - 1;
      for (const frame of all.slice(Number(from) - 1).slice(0, Number(max))) {
        await wire.send(pack([frame]));
        sent[request]!++;
        await sleep(100);
      }
    };
    drip().catch(() => {});
  });
  const { control } = await slow.enter(victim, { height: all.length });
  control.attend();
  // On a slow machine nothing may have come in time: it is asked again if it says something new.
  const saying = setInterval(() => {
    const height = all.length + sent.length;
    void control.send({ t: 'have', root: 1, truth: 0, height }).catch(() => {});
  }, 1000);
  onTestFinished(() => clearInterval(saying));
  await until('blocks have come', () => victim.peer.log.head.height > 0);
  expect(sent[0]).toBeLessThan(all.length);
  await until('more have come', () => victim.of('blocks').length > 1);
  expect(victim.of('fault')).toEqual([]);
});

test('connections of one host that begin in a second', async ({ expect, onTestFinished }) => {
  const { connectionsPerHostPerSecond: perSecond } = LIMITS;
  const victim = await aPeer({ connectionsPerHostPerSecond: perSecond }, onTestFinished);
  const since = performance.now();
  let [answered, ended] = [0, 0];
  const sockets = Array.from({ length: 60 }, () => {
    const socket = connect({ port: portOf(victim), host: '127.0.0.1', localAddress: '127.0.0.2' });
    socket.on('error', () => {}).on('close', () => ended++);
    socket.once('data', () => answered++).resume();
    socket.write('\x13/multistream/1.0.0\n');
    return socket;
  });
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  await until('each is answered or ended', () => answered + ended >= sockets.length);
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThanOrEqual(granted(perSecond, perSecond, since));
});

test('connections without a session, encrypted or not: so many, and the next one takes the place of another', async ({
  expect,
  onTestFinished,
}) => {
  const strangers = 12;
  const victim = await aPeer({ strangers }, onTestFinished);
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  const silent = async (count: number) => {
    const added = Array.from({ length: count }, () => {
      const socket = connect({ port: portOf(victim), host: '127.0.0.1' });
      return socket.on('error', () => {}).resume();
    });
    sockets.push(...added);
    await Promise.all(added.map((socket) => once(socket, 'connect')));
  };
  const encrypted = await Promise.all(
    Array.from({ length: 6 }, async () => (await anAttacker(onTestFinished)).dial(victim)),
  );
  await silent(20);
  const open = () =>
    sockets.filter(({ destroyed }) => !destroyed).length +
    encrypted.filter(({ status }) => status === 'open').length;
  await until('some have gone', () => open() <= strangers);
  expect(open()).toBe(strangers);
  for (let n = 0; n < 3; n++) {
    const { control } = await (await anAttacker(onTestFinished)).enterOnce(victim);
    control.attend();
  }
  // Whoever has said hello is no stranger.
  await silent(strangers);
  expect(victim.peer.status.sessions).toHaveLength(3);
});
