import { setTimeout as sleep } from 'node:timers/promises';
import { multiaddrConnectionPair } from '@libp2p/utils';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Backlog } from './backlog.ts';
import { Budgets } from './budgets.ts';
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

interface Surroundings {
  budgets?: Budgets;
  backlog?: Backlog;
  /** The address of the other end. */
  at?: string;
}

/** A connection with a muxer and its guard, and its other end. */
function guarded({
  budgets = new Budgets(LIMITS),
  backlog = new Backlog(LIMITS.backlogBytesInAll),
  at = '/ip4/192.0.2.1/tcp/1',
}: Surroundings = {}) {
  const [there, here] = multiaddrConnectionPair();
  const carrier = { remoteAddr: at, writeBufferLength: 0 };
  const muxer = guardedYamux({}, { budgetOf: (address) => budgets.of(address), backlog })()
    // As an encrypted connection has it.
    .createStreamMuxer(Object.assign(here, { stream: carrier }));
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

test('what waits for who reads nothing ends the connection beyond a bound', async () => {
  const { here, there } = guarded();
  there.pause();
  await sleep(10);
  let sent = 0;
  for (const part = Buffer.alloc(256 * 1024); here.status === 'open'; sent += part.length)
    here.send(part);
  expect(sent).toBeGreaterThan(LIMITS.backlogBytes / 2);
  expect(sent).toBeLessThan(2 * LIMITS.backlogBytes);
});

test('what waits for all: beyond the bound the host with the most loses the connection with the most', async () => {
  const KIB = 1024;
  const backlog = new Backlog(1024 * KIB);
  const hosts = [1, 1, 2, 3].map((host) => guarded({ backlog, at: `/ip4/192.0.2.${host}/tcp/1` }));
  for (const { there, here } of hosts) {
    there.pause();
    // From now on nothing gets away.
    for (let n = 0; n < 20; n++) here.send(Buffer.alloc(1));
  }
  await sleep(10);
  // Much more was sent and read before: that does not count.
  const reader = guarded({ backlog, at: '/ip4/192.0.2.4/tcp/1' });
  for (let n = 0; n < 40; n++) {
    reader.here.send(Buffer.alloc(100 * KIB));
    await sleep(1);
  }
  const waits = [200, 300, 400, 200];
  for (const [n, kib] of waits.entries()) hosts[n]!.here.send(Buffer.alloc(kib * KIB));
  const statuses = [...hosts, reader].map(({ here }) => here.status);
  expect(statuses).toEqual(['open', 'aborted', 'open', 'open', 'open']);
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
    [pings(LIMITS.smallFramesBurst), pings(1)],
    [streams(LIMITS.streamsBurst), [frame(WINDOW_UPDATE, SYN, 2 * LIMITS.streamsBurst + 1, 0)]],
  ] as const) {
    const rude = guarded();
    if (allowed.length > 0) await rude.say(...allowed);
    expect(rude.here.status).toBe('open');
    await rude.say(...beyond);
    expect(rude.here.status).not.toBe('open');
  }
});

test('who gets much may acknowledge it', async () => {
  const { here, say } = guarded();
  const updates = (count: number) => Array<Buffer>(count).fill(frame(WINDOW_UPDATE, 0, 7, 1));
  await say(...updates(LIMITS.smallFramesBurst));
  here.send(Buffer.alloc(200 * LIMITS.bytesPerSmallFrame));
  await say(...updates(200));
  expect(here.status).toBe('open');
  await say(...updates(1));
  expect(here.status).not.toBe('open');
});

test('small frames belong to the host: a new connection brings no more, and who is quiet stays', async () => {
  const budgets = new Budgets(LIMITS);
  const from = (at: string) => guarded({ budgets, at });
  const pings = (count: number) => Array<Buffer>(count).fill(frame(PING, SYN, 0, 0));
  const neighbour = from('/ip4/192.0.2.1/tcp/1');
  const rude = Array.from({ length: LIMITS.connectionsPerHost }, () =>
    from('/ip4/192.0.2.1/tcp/2'),
  );
  for (const { say } of rude) await say(...pings(LIMITS.smallFramesBurst));
  // A host has as much as half of the sessions that it may have.
  expect(rude.filter(({ here }) => here.status === 'open')).toHaveLength(rude.length / 2);
  await neighbour.say(...pings(LIMITS.smallFramesBurst / 10));
  expect(neighbour.here.status).toBe('open');
  const other = from('/ip4/192.0.2.2/tcp/1');
  await other.say(...pings(LIMITS.smallFramesBurst));
  expect(other.here.status).toBe('open');
});
