import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DatabaseClock } from './database-clock.ts';
import { rounds } from '../../test/support/rounds.ts';

describe('the database’s clock', () => {
  test('is this process’s clock until it has been measured', () => {
    expect(new DatabaseClock(() => 5).now()).toBe(5);
  });

  test('is known at least as well as the best answer tells, however slow the answers', async () => {
    const trip = fc.record({ there: fc.nat(2000), back: fc.nat(2000) });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -60_000, max: 60_000 }),
        fc.array(trip, { minLength: 1, maxLength: 20 }),
        async (ahead, trips) => {
          let local = 1_000_000;
          const clock = new DatabaseClock(() => local);
          for (const { there, back } of trips)
            await clock.measure(() => {
              local += there;
              const answer = local + ahead;
              local += back;
              return Promise.resolve(answer);
            });
          const best = Math.min(...trips.map(({ there, back }) => there + back));
          expect(Math.abs(clock.offsetMs - ahead)).toBeLessThanOrEqual(best);
        },
      ),
      { numRuns: rounds(200) },
    );
  });

  test('does not jump between answers that agree with it', async () => {
    let local = 0;
    const clock = new DatabaseClock(() => local);
    const answer = (there: number, back: number) =>
      clock.measure(() => {
        local += there;
        const now = local + 100;
        local += back;
        return Promise.resolve(now);
      });
    await answer(10, 10);
    const { offsetMs } = clock;
    await answer(0, 40);
    await answer(40, 0);
    expect(clock.offsetMs).toBe(offsetMs);
  });
});
