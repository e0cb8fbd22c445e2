import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aSession } from '../../../test/support/sessions.ts';
import { AddressBook } from '../book/address-book.ts';
import type { PeerContext } from '../context.ts';
import { Dialer } from './dialer.ts';
import { RefusedError } from '../session/handshake.ts';
import { Sessions } from '../session/sessions.ts';

const SECOND = 1000;
const HOUR = 3_600_000;
const GENESIS = '12D3KooWGxKjsoa6qUvUQmkkosHyCTw7d7LEb8dCdj63EbHt19j1';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/**
 * Looks for peers once a second, for a while of fake time.
 * @param dial what a dial of Genesis leads to
 * @returns the waits between the dials of Genesis, milliseconds
 */
async function waits(
  dial: (sessions: Sessions, dialer: Dialer) => Promise<void>,
  { friends = 0, ms = 2 * HOUR } = {},
): Promise<number[]> {
  const sessions: Sessions = new Sessions(
    'me',
    { residents: 100, visitors: 0, visitMs: 0 },
    (session) => dialer.left(session),
  );
  for (let index = 0; index < friends; index++)
    sessions.add(
      aSession(`friend${index}`, { group: `group${index}`, direction: 'outbound' }).session,
    );
  const book = new AddressBook({ network: 'test', self: 'me', isRefused: () => false });
  const context = { me: { id: 'me' }, book, sessions } as Partial<PeerContext> as PeerContext;
  const dials: number[] = [];
  const dialer: Dialer = new Dialer(context, {
    dial: () => {
      dials.push(Date.now());
      return dial(sessions, dialer);
    },
    lookup: undefined,
    genesis: [`/ip4/192.0.2.1/tcp/9900/p2p/${GENESIS}`],
    outbound: 8,
    privateAddresses: false,
    isRefused: () => false,
  });
  for (let passed = 0; passed < ms; passed += SECOND) {
    dialer.tick();
    await new Promise(setImmediate);
    vi.advanceTimersByTime(SECOND);
  }
  return dials.slice(1).map((at, index) => at - (dials[index] ?? 0));
}

const unreachable = () => Promise.reject(new Error('ECONNREFUSED'));
const busy = () => Promise.reject(new RefusedError('busy', false));

/** It lets us in, and shows us out. */
const visit = (sessions: Sessions) => {
  const { session } = aSession(GENESIS, { direction: 'outbound' });
  sessions.add(session);
  setImmediate(() => {
    session.farewell = 'busy';
    sessions.end(session, 'said bye: busy');
  });
  return Promise.resolve();
};

describe('Genesis is always tried', () => {
  it.each([0, 8])(
    'at least every half minute while it cannot be reached (%i friends)',
    async (friends) => {
      const all = await waits(unreachable, { friends });
      expect(Math.max(...all)).toBeLessThanOrEqual(31 * SECOND);
      // At first, quickly.
      expect(all[0]).toBeLessThanOrEqual(2 * SECOND);
      expect(Math.min(...all.slice(10))).toBeGreaterThanOrEqual(15 * SECOND);
    },
  );

  it.each([
    ['refuses', busy],
    ['shows us out', visit],
  ])('as often if it has no room and %s, by a peer that knows hardly anybody', async (_, dial) => {
    const all = await waits(dial, { friends: 3 });
    expect(Math.max(...all)).toBeLessThanOrEqual(31 * SECOND);
    expect(Math.min(...all.slice(10))).toBeGreaterThanOrEqual(15 * SECOND);
  });

  it.each([
    ['refuses', busy],
    ['shows us out', visit],
  ])('rarely if it has no room and %s, by a peer that has found others', async (_, dial) => {
    const all = await waits(dial, { friends: 4, ms: 4 * HOUR });
    expect(Math.max(...all)).toBeLessThanOrEqual(601 * SECOND);
    expect(Math.min(...all.slice(10))).toBeGreaterThanOrEqual(300 * SECOND);
  });
});
