import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { BLOCKS, TRUTH } from '@mesh-registry/peer/session/messages.schema.ts';
import { unpack } from '@mesh-registry/protocol/log/pack.ts';
import { until } from '../support/until.ts';
import { Attacker, openWire, Wire } from './attacker.ts';
import { pack } from './pack.ts';
import { aPeer, blocks, networkRoot } from './peers.ts';

/** How often a peer does something for another one. The clock by which it counts stands still unless it is set. */

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

async function acquainted(hello: object = {}) {
  const victim = await aPeer();
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

const SECOND_MS = 1000;
const { requestsBurst, requestsPerSecond } = LIMITS;

test('requests for blocks that are too many wait', async () => {
  const { victim, enter } = await acquainted();
  await victim.peer.takeBlocks(blocks(1));
  const { connection, control } = await enter();
  control.attend();
  let answered = 0;
  const ask = async () => {
    const wire = await openWire(connection, BLOCKS);
    await wire.send({ from: 1, max: 1 });
    expect(unpack(await wire.bytes(), 1)).toHaveLength(1);
    expect(await wire.bytes()).toHaveLength(0);
    answered++;
    await wire.stream.close();
  };
  const asking = (async () => {
    while (answered < requestsBurst + requestsPerSecond) await ask();
  })();
  await until('there were as many as at once', () => answered >= requestsBurst);
  expect(await settled(() => answered)).toBe(requestsBurst);
  vi.advanceTimersByTime(SECOND_MS);
  await asking;
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
