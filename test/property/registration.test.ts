import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inArray } from 'drizzle-orm';
import { nameClaims, registrationHistory, registrations } from '#db/schema/index.ts';
import { isAppError } from '#server/common/errors.schema.ts';
import type { Registration } from '@mesh-registry/protocol/rest/register.schema.ts';
import type { RecentDecision } from '#server/review/index.ts';
import type { RegistrationStatus } from '@mesh-registry/protocol/values.schema.ts';
import { rounds } from '../support/rounds.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { accept, reject, revoke } from '../support/decisions.ts';
import { SLOW } from '../support/slow.ts';

const HOLD_MS = 36_000;
const NAMES = 2;

/** Every possible step; null is the start. */
const STEPS = new Set([
  'null pending_payment',
  'pending_payment pending_review',
  'pending_payment rejected',
  'pending_review active',
  'pending_review rejected',
  'active rejected',
  // A late confirmation of an expired reservation, or an undone rejection.
  'rejected pending_review',
  // Undone decisions.
  'active pending_review',
  'rejected pending_payment',
  'rejected active',
]);
/** The errors that an actor may get when it is too late or asks for the impossible. */
const REFUSALS = new Set(['name_taken', 'invalid_state', 'already_decided', 'not_found']);

const target = fc.nat(7);
const action = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('start' as const), name: fc.nat(NAMES - 1) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('confirm' as const), target }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('accept' as const), target }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reject' as const), target }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revoke' as const), target }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const), target }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('look' as const), target }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
);
/** What several actors do at once, each through one of the servers; then time passes. */
const batch = fc.record({
  actions: fc.array(fc.tuple(fc.nat(1), action), { minLength: 1, maxLength: 7 }),
  passes: fc.constantFrom(0, 0, 1, HOLD_MS / 2, HOLD_MS, HOLD_MS + 1),
});
const story = fc.array(batch, { minLength: 1, maxLength: 7 });

describe('registrations by several at once, on two servers', () => {
  let database: TestDatabase;
  const servers: TestServer[] = [];
  let now = Date.UTC(2026, 0, 1);

  beforeAll(async () => {
    database = await createTestDatabase();
    for (let n = 0; n < 2; n++)
      servers.push(
        await startTestServer({
          env: {
            ...database.env,
            HOLD_HOURS: String(HOLD_MS / 3_600_000),
            LOG_LEVEL: 'warn',
          },
          clock: () => now,
        }),
      );
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await database.drop();
  });

  it(
    'a name has one holder, no state is skipped, the history explains each change, and every acknowledged success is real',
    { timeout: rounds(60_000) * SLOW },
    async () => {
      await fc.assert(
        fc.asyncProperty(story, async (batches) => {
          const prefix = `p${randomBytes(5).toString('hex')}`;
          const names = Array.from({ length: NAMES }, (_, n) => `${prefix}-${n}`);
          const ids: string[] = [];
          /** The last decision on each registration, and whose it was. */
          const deciders = new Map<string, string>();
          let actors = 0;

          for (const { actions, passes } of batches) {
            const known = [...ids];
            const outcomes = await Promise.all(
              actions.map(async ([at, act]) => {
                const { services } = servers[at % servers.length] as TestServer;
                const stranger = `reviewer-${actors++}`;
                const id =
                  'target' in act ? (known[act.target % Math.max(known.length, 1)] ?? null) : null;
                const actor =
                  act.do === 'undo' && id !== null ? (deciders.get(id) ?? stranger) : stranger;
                const run = async (): Promise<unknown> => {
                  if (act.do === 'start')
                    return services.registration.start({
                      action: 'start',
                      name: names[act.name] ?? '',
                      // At most one for each name is open.
                      nodeId: `node_${prefix}`,
                      kinds: ['node'],
                      class: 'S',
                      region: 'ZZ',
                    });
                  if (act.do === 'sweep') return services.registration.endExpired();
                  if (id === null) return null;
                  if (act.do === 'confirm')
                    return services.registration.confirm({ id, cashConfirm: actor });
                  if (act.do === 'accept') return accept(services, { id, reviewer: actor });
                  if (act.do === 'reject')
                    return reject(services, { id, reviewer: actor, reason: actor });
                  if (act.do === 'revoke')
                    return revoke(services, { id, reviewer: actor, reason: actor });
                  if (act.do === 'undo') {
                    const { paymentNote: note } = await services.registration.get(id);
                    return services.review.undo({ note, reviewer: actor });
                  }
                  return services.registration.get(id);
                };
                try {
                  return { act, id, actor, result: await run(), refused: null };
                } catch (error) {
                  if (!isAppError(error)) throw error;
                  expect(REFUSALS, error.message).toContain(error.code);
                  return { act, id, actor, result: null, refused: error };
                }
              }),
            );
            for (const { act, result } of outcomes)
              if (act.do === 'start' && result) ids.push((result as Registration).id);

            const stored = await storedOf(names);
            const { rows, history } = stored;
            expect(rows.map(({ id }) => id).sort(), 'exactly the starts that succeeded').toEqual(
              [...ids].sort(),
            );
            expectSound(names, stored);
            for (const { act, id, actor, result, refused } of outcomes) {
              if (id === null) continue;
              const steps = history.get(id) ?? [];
              const mine = steps.filter((step) => step.actor === actor);
              if (act.do === 'accept' || act.do === 'reject' || act.do === 'revoke') {
                const to: RegistrationStatus = act.do === 'accept' ? 'active' : 'rejected';
                expect(
                  mine.map(({ toStatus }) => toStatus),
                  `${act.do} by ${actor}`,
                ).toEqual(refused ? [] : [to]);
                if (act.do === 'revoke' && !refused) expect(mine[0]?.fromStatus).toBe('active');
                if (!refused) {
                  expect((result as RecentDecision).decision).toBe(act.do);
                  deciders.set(id, actor);
                }
                if (refused?.code === 'already_decided') {
                  // The error names who decided, and that reviewer really did.
                  const decider = /by (reviewer-\d+)/.exec(refused.message)?.[1];
                  if (decider) expect(steps.map((step) => step.actor)).toContain(decider);
                  else expect(steps.some((step) => step.actor === 'system')).toBe(true);
                }
              }
              if (act.do === 'undo' && !refused)
                expect(mine.map(({ fromStatus }) => fromStatus)).toContain(mine[0]?.toStatus);
              if (act.do === 'confirm' && !refused) {
                expect(['pending_review', 'active']).toContain((result as Registration).status);
                expect(steps.some(({ toStatus }) => toStatus === 'pending_review')).toBe(true);
              }
              if (act.do === 'look' && result)
                expect(
                  steps.map(({ toStatus }) => toStatus),
                  'what one was shown has been',
                ).toContain((result as Registration).status);
            }
            for (const server of servers) await expectNoNameTwice(server);
            now += passes;
          }

          // After a sweep, no expired registration holds a name.
          await servers[0]?.services.registration.endExpired();
          const stored = await storedOf(names);
          const { rows } = stored;
          expectSound(names, stored);
          for (const row of rows)
            if (row.status === 'pending_payment')
              expect(row.expiresAt.getTime()).toBeGreaterThan(now);
          // Each server knows of its own decisions at once, and of the other's within the time of a sync.
          const active = rows
            .filter(({ status }) => status === 'active')
            .map(({ name }) => name)
            .sort();
          for (const server of servers)
            await expect.poll(() => listed(server, prefix), { interval: 50 }).toEqual(active);
          // A name reported as available can be registered.
          for (const server of servers)
            for (const name of names)
              await expect
                .poll(() => server.services.names.availability(name).available, {
                  interval: 50,
                })
                .toBe(rows.every((row) => row.name !== name || row.status === 'rejected'));
        }),
        { numRuns: rounds(20) },
      );
    },
  );

  it('a name that changes hands across several servers is always listed exactly once', async () => {
    const at = (n: number) => servers[n % servers.length] as TestServer;
    for (let round = 0; round < 3; round++) {
      const name = `h${randomBytes(5).toString('hex')}`;
      const activate = async (server: TestServer, nodeId: string): Promise<string> => {
        const { id } = await server.services.registration.start({
          action: 'start',
          name,
          nodeId,
          kinds: ['node'],
          class: 'S',
          region: 'ZZ',
        });
        await server.services.registration.confirm({ id });
        await accept(server.services, { id, reviewer: 'alice' });
        return id;
      };
      const first = await activate(at(0), 'node_one');
      await expect.poll(() => listed(at(1), name), { interval: 50 }).toEqual([name]);
      // The first server decides next, before it has heard of the other's decision.
      await revoke(at(1).services, { id: first, reviewer: 'bob', reason: 'no longer' });
      await activate(at(0), 'node_two');
      for (let n = 0; n < 30; n++) {
        for (const server of servers) await expectNoNameTwice(server);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const holders = async (server: TestServer) => {
        const { entries } = (await (await server.get('/api/registry')).json()) as {
          entries: { name: string; nodeId: string }[];
        };
        return entries.filter((entry) => entry.name === name).map(({ nodeId }) => nodeId);
      };
      for (const server of servers)
        await expect.poll(() => holders(server), { interval: 50 }).toEqual(['node_two']);
    }
  });

  const db = () => (servers[0] as TestServer).database.db;

  /** All as of one moment: the servers also end reservations by themselves. */
  const storedOf = (names: string[]) =>
    db().transaction(
      async (tx) => {
        const rows = await tx
          .select()
          .from(registrations)
          .where(inArray(registrations.name, names));
        const found = await tx
          .select()
          .from(registrationHistory)
          .where(inArray(registrationHistory.registrationId, ['', ...rows.map(({ id }) => id)]))
          .orderBy(registrationHistory.rev);
        const history = new Map<string, typeof found>();
        for (const step of found)
          history.set(step.registrationId, [...(history.get(step.registrationId) ?? []), step]);
        const claims = await tx.select().from(nameClaims).where(inArray(nameClaims.name, names));
        return { rows, history, claims };
      },
      { isolationLevel: 'repeatable read', accessMode: 'read only' },
    );

  function expectSound(
    names: string[],
    { rows, history, claims }: Awaited<ReturnType<typeof storedOf>>,
  ): void {
    for (const name of names) {
      const holders = rows.filter((row) => row.name === name && row.status !== 'rejected');
      expect(holders.length, `holders of ${name}`).toBeLessThanOrEqual(1);
      expect(
        claims.filter((claim) => claim.name === name).map((claim) => claim.registrationId),
      ).toEqual(holders.map(({ id }) => id));
    }
    for (const row of rows) {
      const steps = history.get(row.id) ?? [];
      let state: RegistrationStatus | null = null;
      let rev = 0;
      for (const step of steps) {
        expect(step.fromStatus).toBe(state);
        expect(STEPS).toContain(`${step.fromStatus} ${step.toStatus}`);
        expect(step.rev).toBeGreaterThan(rev);
        ({ rev } = step);
        state = step.toStatus;
        if (step.toStatus === 'rejected') expect(step.reason).toBeTruthy();
        const before = steps[steps.indexOf(step) - 1];
        // Only what the system ended is revived by its operator; a reviewer undoes a decision of their own.
        if (step.fromStatus === 'rejected' && step.actor === 'operator')
          expect(before?.actor).toBe('system');
        else if (step.fromStatus === 'rejected' || step.toStatus === 'pending_review') {
          if (step.actor !== 'operator')
            expect([before?.actor, before?.fromStatus]).toEqual([step.actor, step.toStatus]);
        }
      }
      expect(state, 'the history ends where the registration is').toBe(row.status);
      expect(row.rev).toBeGreaterThanOrEqual(rev);
      expect(row.rejectionReason === null, 'a reason where it is rejected, and only there').toBe(
        row.status !== 'rejected',
      );
    }
  }

  /** At any moment, also while a server does not yet know of another's last decision. */
  async function expectNoNameTwice(server: TestServer): Promise<void> {
    const answer = (await (await server.get('/api/registry')).json()) as {
      count: number;
      stats: { active: number };
      entries: { name: string }[];
    };
    const names = answer.entries.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    expect(answer.count).toBe(names.length);
    expect(answer.stats.active).toBe(names.length);
    const info = (await (await server.get('/api/registry/register')).json()) as {
      directory: { name: string }[];
    };
    // Another server's decision may have arrived between the two answers.
    const directory = info.directory.map(({ name }) => name);
    expect(new Set(directory).size).toBe(directory.length);
  }

  async function listed(server: TestServer, prefix: string): Promise<string[]> {
    const { entries } = (await (await server.get('/api/registry')).json()) as {
      entries: { name: string }[];
    };
    return entries.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  }
});
