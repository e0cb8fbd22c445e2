import { expect } from 'vitest';
import type { PeerOptions } from '@mesh-registry/peer/peer.ts';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { until } from '../support/until.ts';
import { Attacker } from './attacker.ts';
import { aPeer, isConnected, type APeer, type WhenDone } from './peers.ts';

/** A round trip that a friend may have while a peer is under attack, milliseconds. */
const FRIEND_MS = 1000;

/** A peer with the limits of production, a friend that is connected throughout, and attackers at other addresses. */
export interface Attack {
  victim: APeer;
  friend: APeer;
  /** @param from the host it comes from */
  attacker: (from?: string) => Promise<Attacker>;
  /** The friend has still its first session, and was answered in time while the attack went on. */
  expectFriendship: () => Promise<void>;
}

const LIMITED = {
  connectionsPerHost: LIMITS.connectionsPerHost,
  connectionsPerHostPerSecond: LIMITS.connectionsPerHostPerSecond,
  // Not so often that a friend is over the rate, or that who is slow misses three pings.
  intervals: { ping: 2000, gossip: 2000, refresh: 1000, dial: 200 },
};

export async function underAttack(
  whenDone: WhenDone,
  options: Partial<PeerOptions> = {},
): Promise<Attack> {
  const victim = await aPeer({ ...LIMITED, ...options }, whenDone);
  const friend = await aPeer({ genesis: [victim.address], ...LIMITED }, whenDone);
  await until('the friend is there', () => isConnected(victim, friend));
  const session = () => victim.peer.status.sessions.find(({ peer }) => peer === friend.id);
  await until('its way is measured', () => (session()?.rtt?.count ?? 0) > 0);
  const { since, rtt } = session() ?? {};
  let counted = rtt?.count ?? 0;
  const samples: number[] = [];
  const sampling = setInterval(() => {
    const { count, last } = session()?.rtt ?? { count: counted, last: 0 };
    if (count > counted) samples.push(last);
    counted = count;
  }, 20);
  whenDone(() => clearInterval(sampling));
  return {
    victim,
    friend,
    attacker: async (from) => {
      const attacker = await Attacker.create(from);
      whenDone(attacker.stop);
      return attacker;
    },
    expectFriendship: async () => {
      await until('the friend is answered in time', () => Math.min(...samples) < FRIEND_MS);
      expect(session()?.since).toBe(since);
    },
  };
}
