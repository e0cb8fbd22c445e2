import { expect, onTestFinished, test } from 'vitest';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { iso } from '../support/network-truth.ts';
import { Attacker } from './attacker.ts';
import { aPeer, networkTruth, type APeer } from './peers.ts';

/** Whom a peer talks to, by what they say of themselves. */

const MINUTE = 60_000;

/** A stranger who says this. @returns what the victim answers, `welcome` or the code of a refusal */
async function answerTo(victim: APeer, hello: object): Promise<string> {
  const stranger = await Attacker.create();
  onTestFinished(stranger.stop);
  return stranger.enter(victim, hello).then(
    ({ control }) => {
      control.attend();
      return 'welcome';
    },
    (error: Error) => error.message,
  );
}

const inMs = (ms: number) => ({ time: iso(Date.now() + ms) });

test('who is of another network, speaks another version or has another time is told so, which is no fault', async () => {
  const victim = await aPeer();
  for (const [hello, answer] of [
    [{ network: 'other.example.org' }, 'wrong_network'],
    [{ proto: [2, 3] }, 'version'],
    [{ proto: [1, 3] }, 'welcome'],
    [inMs(LIMITS.clockSkewMs + MINUTE), 'clock_skew'],
    [inMs(-LIMITS.clockSkewMs - MINUTE), 'clock_skew'],
    [inMs(LIMITS.clockSkewMs - MINUTE), 'welcome'],
    [inMs(-LIMITS.clockSkewMs + MINUTE), 'welcome'],
  ] as const)
    expect([hello, await answerTo(victim, hello)]).toEqual([hello, answer]);
  victim.peer.takeTruth({ roots: [], truth: networkTruth({ minProtocol: 2 }) });
  expect(await answerTo(victim, { proto: [1, 1] })).toBe('version');
  expect(await answerTo(victim, { proto: [1, 2] })).toBe('welcome');
  expect(victim.peer.status.refusals).toEqual({ wrong_network: 1, version: 2, clock_skew: 2 });
  expect(victim.of('fault')).toEqual([]);
});
