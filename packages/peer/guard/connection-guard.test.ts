import { setTimeout as sleep } from 'node:timers/promises';
import { multiaddrConnectionPair } from '@libp2p/utils';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { guardedYamux } from './connection-guard.ts';
import { LIMITS } from '../base/limits.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const [DATA, WINDOW_UPDATE, PING] = [0, 1, 2];
const SYN = 1;

/** A frame of Yamux. @param body of data; else the number in the place of its length */
function frame(type: number, flags: number, stream: number, body: Uint8Array | number): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt8(type, 1);
  header.writeUInt16BE(flags, 2);
  header.writeUInt32BE(stream, 4);
  header.writeUInt32BE(typeof body === 'number' ? body : body.length, 8);
  return typeof body === 'number' ? header : Buffer.concat([header, body]);
}

/** A connection with a muxer and its guard, and its other end. */
function guarded() {
  const [there, here] = multiaddrConnectionPair();
  const muxer = guardedYamux({})().createStreamMuxer(here);
  // Somebody waits for streams, else it keeps a few only.
  muxer.addEventListener('stream', () => {});
  return {
    here,
    there,
    muxer,
    say: async (...frames: Buffer[]) => {
      there.send(Buffer.concat(frames));
      await sleep(5);
    },
  };
}

test('who pings within the rate and reads no answer ends the connection: not all of them are kept', async () => {
  const { here, there } = guarded();
  there.pause();
  await sleep(10);
  const perSecond = LIMITS.framesPerSecond / 2;
  const pings = Buffer.concat(Array<Buffer>(perSecond).fill(frame(PING, SYN, 0, 0)));
  let answers = 0;
  while (here.status === 'open' && answers < 2 * LIMITS.backlogBytes) {
    there.send(pings);
    await sleep(1);
    answers += pings.length;
    vi.advanceTimersByTime(1000);
  }
  expect(here.status).not.toBe('open');
  expect(answers).toBeGreaterThan(LIMITS.backlogBytes / 2);
  expect(answers).toBeLessThan(LIMITS.backlogBytes + 4 * pings.length);
});

test('who says more on a stream than its negotiation takes ends the connection, unless its protocol is settled', async () => {
  const open = frame(WINDOW_UPDATE, SYN, 1, 0);
  const most = frame(DATA, 0, 1, Buffer.alloc(LIMITS.settlingBytes));
  const more = frame(DATA, 0, 1, Buffer.alloc(1));
  const greedy = guarded();
  await greedy.say(open, most);
  expect(greedy.here.status).toBe('open');
  await greedy.say(more);
  expect(greedy.here.status).not.toBe('open');
  const honest = guarded();
  await honest.say(open, most);
  for (const stream of honest.muxer.streams) stream.protocol = '/settled/1';
  await honest.say(most, more);
  expect(honest.here.status).toBe('open');
});

test('whoever sends too long a frame, too many of them, or begins too many streams ends the connection', async () => {
  const streams = (count: number) =>
    Array.from({ length: count }, (_, n) => frame(WINDOW_UPDATE, SYN, 2 * n + 1, 0));
  const pings = (count: number) => Array<Buffer>(count).fill(frame(PING, SYN, 0, 0));
  for (const [allowed, beyond] of [
    [[], [frame(DATA, 0, 1, LIMITS.frameBytes + 1)]],
    // Parts in which they come cost as much as frames.
    [pings(0.9 * LIMITS.framesBurst), pings(0.1 * LIMITS.framesBurst)],
    [streams(LIMITS.streamsBurst), [frame(WINDOW_UPDATE, SYN, 2 * LIMITS.streamsBurst + 1, 0)]],
  ] as const) {
    const rude = guarded();
    if (allowed.length > 0) await rude.say(...allowed);
    expect(rude.here.status).toBe('open');
    await rude.say(...beyond);
    expect(rude.here.status).not.toBe('open');
  }
});
