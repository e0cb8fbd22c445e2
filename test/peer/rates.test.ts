import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@libp2p/interface';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { BLOCKS, TRUTH } from '@mesh-registry/peer/session/messages.schema.ts';
import type { PeerOptions } from '@mesh-registry/peer/peer.ts';
import { unpack } from '@mesh-registry/protocol/log/pack.ts';
import { chain } from '../support/blocks.ts';
import { HOUR } from '../support/network-truth.ts';
import { until } from '../support/until.ts';
import { Attacker, openWire, Wire, type Entered } from './attacker.ts';
import { pack } from './pack.ts';
import { aPeer, blocks, networkRoot } from './peers.ts';

/** How often a peer does something for another one. The clock by which it counts stands still unless it is set. */

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

async function acquainted(hello: object = {}, options: Partial<PeerOptions> = {}) {
  const victim = await aPeer(options);
  const stranger = await Attacker.create();
  onTestFinished(stranger.stop);
  return { victim, stranger, enter: () => stranger.enter(victim, hello) };
}

/** Resolves when a number has stopped to grow. */
async function settled(count: () => number): Promise<number> {
  for (let before = -1; before !== count();) {
    before = count();
    await sleep(300);
  }
  return count();
}

async function askForBlock(connection: Connection): Promise<void> {
  const wire = await openWire(connection, BLOCKS);
  await wire.send({ from: 1, max: 1 });
  expect(unpack(await wire.bytes(), 1)).toHaveLength(1);
  expect(await wire.bytes()).toHaveLength(0);
  await wire.stream.close();
}

/** Asks for all blocks, and ends the stream at once. */
async function askAndGo(connection: Connection): Promise<void> {
  const wire = await openWire(connection, BLOCKS);
  await wire.send({ from: 1, max: LIMITS.batchBlocks });
  wire.stream.abort(new Error('gone'));
}

const SECOND_MS = 1000;
const { requestsBurst, requestsPerSecond } = LIMITS;

test('requests for blocks that are too many wait', async () => {
  const { victim, enter } = await acquainted();
  await victim.peer.takeBlocks(blocks(1));
  const { connection, control } = await enter();
  control.attend();
  let answered = 0;
  const asking = (async () => {
    for (; answered < requestsBurst + requestsPerSecond; answered++) await askForBlock(connection);
  })();
  await until('there were as many as at once', () => answered >= requestsBurst);
  expect(await settled(() => answered)).toBe(requestsBurst);
  // Who has gone takes none of those that come back.
  for (let n = 0; n < 5; n++) await askAndGo(connection);
  vi.advanceTimersByTime(SECOND_MS);
  await asking;
  expect(victim.of('fault')).toEqual([]);
});

test('nothing is read for who has asked and gone, and nobody waits behind them', async () => {
  const maxUploadRate = LIMITS.uploadBytesPerSecondMin;
  const { victim, enter } = await acquainted({}, { maxUploadRate });
  const body = Buffer.alloc(maxUploadRate / 4, 'x');
  await victim.peer.takeBlocks(chain({ count: 8, start: Date.now() - HOUR, body: () => body }));
  const { connection, control } = await enter();
  control.attend();
  let parts = 0;
  const spending = await openWire(connection, BLOCKS);
  await spending.send({ from: 1, max: 8 });
  const spent = (async () => {
    while ((await spending.bytes()).length > 0) parts++;
  })();
  await until('all that may be sent at once is', () => parts >= 4);
  await settled(() => parts);
  for (let n = 0; n < 20; n++) await askAndGo(connection);
  spending.stream.abort(new Error('gone'));
  await expect(spent).rejects.toThrow();
  const staying = await openWire(connection, BLOCKS);
  await staying.send({ from: 8, max: 1 });
  vi.advanceTimersByTime(SECOND_MS);
  expect((await staying.bytes()).length).toBeGreaterThan(body.length);
});

type Asks = () => Promise<unknown>;
type Begin = (entered: Entered) => Asks | Promise<Asks>;

test.each<[string, number, Begin]>([
  [
    'requests for blocks',
    requestsBurst,
    ({ connection }) =>
      () =>
        askForBlock(connection),
  ],
  [
    'requests for root and truth',
    LIMITS.messagesBurst / LIMITS.truthRequestCost,
    async ({ connection }) => {
      const wire = await openWire(connection, TRUTH);
      return () => wire.send({ root: 1 }).then(() => wire.bytes());
    },
  ],
  [
    'messages',
    LIMITS.messagesBurst,
    ({ control }) =>
      () =>
        control.send({ t: 'ping', n: 'x' }).then(() => control.until('pong')),
  ],
])('a host may make so many %s at once, whatever its keys', async (_, atOnce, begin) => {
  // As many as one session.
  const one = { connectionsPerHost: 2, intervals: { ping: 60_000 } };
  const { victim, enter } = await acquainted({}, one);
  await victim.peer.takeBlocks(blocks(1));
  const another = await Attacker.create();
  onTestFinished(another.stop);
  let answered = 0;
  const asking = async (entered: Entered) => {
    const ask = await begin(entered);
    for (let n = 0; n < atOnce; n++) {
      await ask();
      answered++;
    }
  };
  for (const entered of [await enter(), await another.enter(victim)])
    asking(entered).catch(() => {});
  await until('there were as many as at once', () => answered >= atOnce);
  expect(await settled(() => answered)).toBe(atOnce);
  expect(victim.of('fault')).toEqual([]);
});

test('a peer itself does not ask for blocks more often', async () => {
  const all = blocks(2 * requestsBurst);
  const { victim, stranger, enter } = await acquainted({ height: all.length });
  let asked = 0;
  await stranger.host.handle(BLOCKS, (stream) => {
    const wire = new Wire(stream);
    const serve = async () => {
      const { from } = await wire.next();
      asked++;
      // One at a time, as if they were large.
      await wire.send(pack(all.slice(Number(from) - 1, Number(from))));
      await wire.send(new Uint8Array());
      await stream.close();
    };
    serve().catch((error: unknown) => stream.abort(error as Error));
  });
  (await enter()).control.attend();
  await until('it has asked as often as at once', () => asked >= requestsBurst);
  expect(await settled(() => asked)).toBe(requestsBurst);
  vi.advanceTimersByTime(SECOND_MS);
  await until('it asks again', () => asked >= requestsBurst + requestsPerSecond);
  expect(await settled(() => asked)).toBe(requestsBurst + requestsPerSecond);
  expect(victim.of('fault')).toEqual([]);
});

test('requests for root and truth cost as much as some messages; too many end the stream', async () => {
  const { victim, enter } = await acquainted();
  const roots = Array.from({ length: 10 }, (_, i) => networkRoot({ version: i + 2 }));
  victim.peer.takeTruth({ roots, truth: null });
  const { connection, control } = await enter();
  const said = control.attend();
  const wire = await openWire(connection, TRUTH);
  let answered = 0;
  try {
    for (; answered <= LIMITS.messagesBurst; answered++) {
      await wire.send({ root: 1 });
      expect((await wire.next())['roots']).toHaveLength(LIMITS.rootsPerAnswer);
    }
  } catch {
    // The victim has ended it.
  }
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThanOrEqual(LIMITS.messagesBurst / LIMITS.truthRequestCost);
  expect(victim.of('fault')).toEqual([]);
  // What is in the way of requests is in the way of messages.
  vi.advanceTimersByTime(SECOND_MS);
  await control.send({ t: 'ping', n: 'later' });
  await until('it is answered', () => said.some(({ t, n }) => t === 'pong' && n === 'later'));
});
