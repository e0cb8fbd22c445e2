import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { aSubject, signed } from '../support/peer-records.ts';
import { closed, type Entered } from './attacker.ts';
import type { APeer } from './peers.ts';

export const expires = new Date(Date.now() + LIMITS.recordMs).toISOString();

/** A record of a new peer at a public address. */
export const stranger = (n: number, address = `/ip4/${n % 200}.${n >> 8}.${n & 255}.1/tcp/9900`) =>
  signed(aSubject(), address.replace('/ip4/0.', '/ip4/201.'), { expires });

/** As long as addresses may be. */
export const longAddresses = (n: number) =>
  Array.from({ length: 8 }, (_, i) => `/dns4/${'long.'.repeat(18)}x${n}.example/tcp/${i + 1}`);

/** It was punished until it had 100 points. */
export function expectCut(victim: APeer, attacker: string, points: number): void {
  const faults = victim.of('fault');
  expect(new Set(faults.map(({ peer }) => peer))).toEqual(new Set([attacker]));
  expect(new Set(faults.map((fault) => fault.points))).toEqual(new Set([points]));
  expect(faults.length).toBeGreaterThanOrEqual(100 / points);
  // On a slow machine a point or two are forgiven meanwhile.
  expect(faults.length).toBeLessThanOrEqual(100 / points + 1);
  expect(victim.of('disconnected')).toEqual([
    { kind: 'disconnected', peer: attacker, reason: 'misbehaviour' },
  ]);
}

/** Sends until the connection has ended. @returns how many were sent */
export async function flood(
  { connection, control }: Entered,
  message: () => object,
): Promise<number> {
  let sent = 0;
  try {
    for (; connection.status === 'open'; sent++) {
      await control.send(message());
      if (sent % 20 === 0) await sleep(1);
    }
  } catch {
    // Cut in the middle of a message.
  }
  await closed(connection);
  return sent;
}
