import fc from 'fast-check';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { GroupWriter } from './group-writer.ts';

test('every write gets its own result once, groups commit one at a time, and errors reach only their own group', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        maxGroup: fc.integer({ min: 1, max: 7 }),
        maxWaiting: fc.integer({ min: 1, max: 30 }),
        // How many writes arrive in each turn of the event loop.
        arrivals: fc.array(fc.nat(12), { maxLength: 20 }),
        // For each group in turn: how many turns its commit takes, and whether it fails.
        groups: fc.array(
          fc.record({ turns: fc.nat(4), fails: fc.boolean(), throws: fc.boolean() }),
          { minLength: 1, maxLength: 12 },
        ),
      }),
      async ({ maxGroup, maxWaiting, arrivals, groups }) => {
        let committing = 0;
        let commits = 0;
        const groupOf = new Map<number, number>();
        const failed = new Set<number>();
        const writer = new GroupWriter<number, string>({
          maxGroup,
          maxWaiting,
          overflow: () => new Error('overflow'),
          commit(items) {
            const n = commits++;
            const plan = groups[n % groups.length] ?? { turns: 0, fails: false, throws: false };
            expect(committing++, 'groups being committed at once').toBe(0);
            expect(items.length).toBeLessThanOrEqual(maxGroup);
            for (const item of items) {
              expect(groupOf.has(item), 'an item in two groups').toBe(false);
              groupOf.set(item, n);
            }
            if (plan.fails) failed.add(n);
            if (plan.fails && plan.throws) {
              committing--;
              throw new Error(`group ${n}`);
            }
            return (async () => {
              for (let at = 0; at < plan.turns; at++) await turn();
              committing--;
              if (plan.fails) throw new Error(`group ${n}`);
              return items.map((item) => `${item} in ${n}`);
            })();
          },
        });
        let next = 0;
        const answers: Promise<void>[] = [];
        const answered: number[] = [];
        for (const count of arrivals) {
          for (let n = 0; n < count; n++) {
            const item = next++;
            answers.push(
              writer.write(item).then(
                (result) => {
                  answered.push(item);
                  expect(result).toBe(`${item} in ${groupOf.get(item)}`);
                  expect(failed.has(groupOf.get(item) ?? -1)).toBe(false);
                },
                (error: Error) => {
                  answered.push(item);
                  const group = groupOf.get(item);
                  expect(error.message).toBe(group === undefined ? 'overflow' : `group ${group}`);
                  if (group !== undefined) expect(failed.has(group)).toBe(true);
                },
              ),
            );
          }
          await turn();
        }
        await writer.drain();
        await turn();
        // After the drain nothing is being committed, and every write has been answered.
        expect(committing).toBe(0);
        expect(answered.length).toBe(next);
        expect(new Set(answered).size).toBe(next);
        await Promise.all(answers);
        // It still works after a failure.
        groups.splice(0, groups.length, { turns: 0, fails: false, throws: false });
        expect(await writer.write(-1)).toContain('-1 in');
      },
    ),
    { numRuns: 200 },
  );
});
