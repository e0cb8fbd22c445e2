import { expect, test } from 'vitest';
import { SOON } from './fault.ts';
import { Schedule, type Outcome } from './schedule.ts';

const accepted: Outcome = { ok: true, nextMs: 20_000 };
const away = (retryAfterMs: number | null = null): Outcome => ({
  ok: false,
  fault: { kind: 'service_away', message: 'It is away.', retry: SOON, retryAfterMs },
});

/** The waits after some outcomes, seconds, by a clock on which they take no time. */
async function waitsAfter(...outcomes: Outcome[]): Promise<number[]> {
  const ending = new AbortController();
  const waits: number[] = [];
  const schedule = new Schedule({
    send: () => Promise.resolve(outcomes[waits.length] ?? accepted),
    clock: {
      now: () => 0,
      sleep(ms) {
        if (waits.push(ms / 1000) === outcomes.length) ending.abort();
        return Promise.resolve();
      },
    },
    // Waits after failures are the longest ones then, those after successes a tenth longer.
    random: () => 1,
  });
  await schedule.run(ending.signal);
  return waits;
}

test('each failure in a row doubles the wait, up to a minute', async () => {
  const waits = await waitsAfter(...Array.from({ length: 9 }, () => away()));
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('after a success the waits begin anew', async () => {
  const waits = await waitsAfter(away(), away(), away(), accepted, away(), away());
  expect(waits.map(Math.round)).toEqual([1, 2, 4, 22, 1, 2]);
});

test('a pause that the service asks for is kept, within an hour', async () => {
  const waits = await waitsAfter(away(30_000), away(86_400_000));
  expect(waits.map(Math.round)).toEqual([33, 3960]);
});
