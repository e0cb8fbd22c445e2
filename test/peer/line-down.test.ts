import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { until } from '../support/until.ts';
import { aPeer, isConnected, startPeer } from './peers.ts';

/** What a peer does when nobody can be reached for hours, because its own line is down. */

const HOUR = 3_600_000;
/** Some looks for peers to dial. */
const A_WHILE_MS = 300;

afterEach(() => {
  vi.useRealTimers();
});

test('a peer that nobody answered for hours is connected within a minute after that, also without Genesis', async () => {
  // Only the clock: connections take the time that they take.
  vi.useFakeTimers({ toFake: ['Date'] });
  const peer = await aPeer();
  const other = await aPeer({ genesis: [peer.address], outbound: 0 });
  await until('they know each other', () => peer.peer.status.known === 1);
  await other.stop();
  await until('it is alone', () => peer.peer.status.sessions.length === 0);
  const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
  for (let hour = 0; hour < 14; hour++) {
    pass(HOUR);
    await sleep(A_WHILE_MS);
  }
  const again = await startPeer({ ...other.options, genesis: [] });
  for (let seconds = 0; seconds < 60 && !isConnected(peer, again); seconds += 5) {
    pass(5000);
    await sleep(A_WHILE_MS);
  }
  await until('it is connected', () => isConnected(peer, again));
  expect(again.of('connected')).toMatchObject([{ peer: peer.id, direction: 'inbound' }]);
});
