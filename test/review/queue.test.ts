import { eq } from 'drizzle-orm';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  payments,
  registrationHistory,
  reviewDecisions,
  reviewPresence,
} from '#db/schema/index.ts';
import { UNDO_MS } from '@mesh-registry/protocol/values.schema.ts';
import { PRESENCE_MS } from '#server/review/presence.ts';
import { eventually } from '../contract/contract.ts';
import { openPage } from '../pages/page.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { importPayment } from '../support/payments.ts';
import { deactivateReviewer, signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { registered } from './support.ts';
import { accept, carryOutLeftover, PAID_OTHERWISE, reject } from '../support/decisions.ts';

const ADA = 'ada@example.org';
const BOB = 'bob@example.org';
const REASON = 'No payment with this note was found.';

let names = 0;
/** A registration that is waiting for review. */
async function claimed({ services }: TestServer, name = `name-${++names}`) {
  const { id, paymentNote: note } = await services.registration.start({
    action: 'start',
    name,
    label: `Label of ${name}`,
    class: 'M',
    region: 'EU',
    nodeId: `node_${name}`,
    kinds: ['node'],
  });
  await services.registration.confirm({ id, cashConfirm: `#D-${name}` });
  return { id, note, name };
}

const statusOf = async ({ services }: TestServer, id: string) =>
  (await services.registration.get(id)).status;

/** The statuses a registration went through, each with its actor. */
const steps = async ({ database }: TestServer, id: string) =>
  (
    await database.db
      .select()
      .from(registrationHistory)
      .where(eq(registrationHistory.registrationId, id))
      .orderBy(registrationHistory.rev)
  ).map(({ toStatus, actor }) => `${toStatus} by ${actor}`);

const REFUSED = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe('decisions and undo', () => {
  let database: TestDatabase;
  let server: TestServer;
  let now = Date.UTC(2026, 6, 17, 12);
  const start = () => startTestServer({ env: database.env, clock: () => now });
  beforeAll(async () => {
    database = await createTestDatabase();
    server = await start();
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  test('a decision takes effect at once, and once', async () => {
    const { review } = server.services;
    const { id, note, name } = await claimed(server);
    const made = {
      note,
      name,
      decision: 'accept',
      reason: null,
      by: ADA,
      undoUntil: new Date(now + UNDO_MS).toISOString(),
    };
    // A second click is not a second decision.
    const accepting = { note, reviewer: ADA, decision: 'accept', reason: PAID_OTHERWISE } as const;
    expect(await Promise.all([review.decide(accepting), review.decide(accepting)])).toEqual([
      made,
      made,
    ]);
    expect(await statusOf(server, id)).toBe('active');
    expect(await steps(server, id)).toEqual([
      'pending_payment by operator',
      'pending_review by operator',
      `active by ${ADA}`,
    ]);
    const mine = async () => (await review.queue({ reviewer: ADA })).mine;
    expect(await mine()).toEqual([made]);
    expect((await review.queue({ reviewer: BOB })).mine).toEqual([]);
    now += UNDO_MS - 1;
    expect(await mine()).toEqual([made]);
    now += 1;
    expect(await mine()).toEqual([]);
  });

  test('without a payment in an import a registration is accepted only for a reason, which the reviewers alone see', async () => {
    const { review, registration } = server.services;
    const unpaid = REFUSED('invalid_body', /Say why you accept/);
    const without = [await claimed(server), await claimed(server), await claimed(server)] as const;
    const [, short, twice] = without;
    await importPayment(server, short.note, { amountCents: 499 });
    for (let count = 0; count < 2; count++) await importPayment(server, twice.note);
    for (const { note, id } of without) {
      const accepting = { note, reviewer: ADA, decision: 'accept' } as const;
      for (const reason of [undefined, '', ' \n'])
        await expect(review.decide({ ...accepting, reason })).rejects.toEqual(unpaid);
      await expect(review.decide({ ...accepting, reason: 'x'.repeat(501) })).rejects.toEqual(
        REFUSED('invalid_body', /reason/),
      );
      expect(await statusOf(server, id)).toBe('pending_review');
      await review.decide({ ...accepting, reason: ' Paid in coins.\n' });
      expect(await registration.get(id)).toMatchObject({ status: 'active', rejectionReason: null });
      const { history } = await review.registration({ note, reviewer: BOB });
      expect(history.at(-1)).toMatchObject({ to: 'active', actor: ADA, reason: 'Paid in coins.' });
      // Again with another reason, or with none: it is the same decision.
      await review.decide({ ...accepting, reason: 'Twice.' });
      await review.decide(accepting);
      expect((await steps(server, id)).length).toBe(3);
      expect(JSON.stringify(await registration.status(id))).not.toContain('coins');
    }
    now += UNDO_MS;
  });

  test('a payment that is reversed before the decision is no payment any more', async () => {
    const { review } = server.services;
    const { note, id } = await claimed(server);
    await importPayment(server, note);
    expect((await review.queue({ reviewer: ADA, open: note })).open?.payment.state).toBe('found');
    const { db } = server.database;
    const ofNote = eq(payments.noteKey, note.toUpperCase());
    await db
      .update(payments)
      .set({ reversedAt: new Date(now) })
      .where(ofNote);
    const accepting = { note, reviewer: ADA, decision: 'accept' } as const;
    await expect(review.decide(accepting)).rejects.toEqual(REFUSED('invalid_body', /Say why/));
    await db.update(payments).set({ reversedAt: null }).where(ofNote);
    await review.decide(accepting);
    expect(await statusOf(server, id)).toBe('active');
    expect((await review.registration({ note, reviewer: ADA })).history.at(-1)?.reason).toBeNull();
    now += UNDO_MS;
  });

  describe('several rejected together', () => {
    const rowsOf = async (notes: string[]) => {
      const { review } = server.services;
      return Promise.all(
        notes.map(async (note) => {
          const { registration } = await review.registration({ note, reviewer: ADA });
          return { note, rev: registration.rev };
        }),
      );
    };

    test('are rejected at once, each with history and reason', async () => {
      const { review } = server.services;
      const all = [await claimed(server), await claimed(server), await claimed(server)];
      const rows = await rowsOf(all.map(({ note }) => note));
      // Twice: sent again, it changes nothing.
      for (let n = 0; n < 2; n++)
        expect(
          await review.rejectTogether({ rows, reviewer: ADA, reason: ` ${REASON}\r\n` }),
        ).toEqual({ notes: rows.map(({ note }) => note), reason: REASON, leftOut: [] });
      const { mine } = await review.queue({ reviewer: ADA });
      expect(mine.map(({ note }) => note).sort()).toEqual(rows.map(({ note }) => note).sort());
      expect(new Set(mine.map(({ undoUntil }) => undoUntil)).size).toBe(1);
      for (const { id } of all) {
        expect(await server.services.registration.get(id)).toMatchObject({
          status: 'rejected',
          rejectionReason: REASON,
        });
        expect(await steps(server, id)).toEqual([
          'pending_payment by operator',
          'pending_review by operator',
          `rejected by ${ADA}`,
        ]);
      }
    });

    test('those that someone else decided or changed are left out, with the reason; the others are rejected', async () => {
      const { review, registration } = server.services;
      const [accepted, deciding, changed, own, good] = [
        await claimed(server),
        await claimed(server),
        await claimed(server),
        await claimed(server),
        await claimed(server),
      ];
      const rows = await rowsOf([accepted, deciding, changed, own, good].map(({ note }) => note));
      await accept(server.services, { id: accepted.id, reviewer: BOB });
      await review.decide({
        note: deciding.note,
        reviewer: BOB,
        decision: 'accept',
        reason: PAID_OTHERWISE,
      });
      await registration.submitConfirmation({ id: changed.id, cashConfirm: '#D-NEW' }, true);
      await review.decide({
        note: own.note,
        reviewer: ADA,
        decision: 'accept',
        reason: PAID_OTHERWISE,
      });
      const unknown = { note: 'MESH-nobody-AAAAAA', rev: 1 };
      const report = await review.rejectTogether({
        rows: [...rows, unknown, { note: 'a\0b', rev: 1 }],
        reviewer: ADA,
        reason: REASON,
      });
      expect(report.notes).toEqual([good.note]);
      expect(report.leftOut).toEqual([
        { note: accepted.note, name: accepted.name, why: expect.stringMatching(/accepted by bob/) },
        { note: deciding.note, name: deciding.name, why: expect.stringMatching(/accepted by bob/) },
        { note: changed.note, name: changed.name, why: expect.stringMatching(/has changed/) },
        { note: own.note, name: own.name, why: expect.stringMatching(/accepted by ada/) },
        { note: unknown.note, name: null, why: expect.stringMatching(/No registration/) },
        { note: 'a\0b', name: null, why: expect.stringMatching(/No registration/) },
      ]);
      expect(
        await Promise.all(
          [accepted, deciding, changed, own, good].map(({ id }) => statusOf(server, id)),
        ),
      ).toEqual(['active', 'active', 'pending_review', 'active', 'rejected']);
    });

    test('all of them can be undone at once, by their reviewer alone, for a few seconds', async () => {
      const { review } = server.services;
      const all = [await claimed(server), await claimed(server)];
      const notes = all.map(({ note }) => note);
      const rows = await rowsOf(notes);
      await review.rejectTogether({ rows, reviewer: ADA, reason: REASON });
      const none = REFUSED('already_decided', /can no longer be undone/);
      await expect(review.undoTogether({ notes, reviewer: BOB })).rejects.toEqual(none);
      await review.undoTogether({ notes, reviewer: ADA });
      for (const { id } of all) expect(await statusOf(server, id)).toBe('pending_review');
      await review.rejectTogether({ rows: await rowsOf(notes), reviewer: ADA, reason: REASON });
      now += UNDO_MS;
      await expect(review.undoTogether({ notes, reviewer: ADA })).rejects.toEqual(none);
    });

    test('of two reviewers who reject and accept the same ones at once, one wins each', async () => {
      const { review } = server.services;
      const all = await Promise.all(Array.from({ length: 12 }, () => claimed(server)));
      const rows = await rowsOf(all.map(({ note }) => note));
      const [ada, bob, ...accepts] = await Promise.all([
        review.rejectTogether({ rows, reviewer: ADA, reason: REASON }),
        review.rejectTogether({ rows: rows.toReversed(), reviewer: BOB, reason: 'Spam.' }),
        ...all.map(({ note }) =>
          review
            .decide({
              note,
              reviewer: 'zoe@example.org',
              decision: 'accept',
              reason: PAID_OTHERWISE,
            })
            .then(
              () => [note],
              () => [],
            ),
        ),
      ]);
      const winners = [...ada.notes, ...bob.notes, ...accepts.flat()];
      expect(winners.sort()).toEqual(rows.map(({ note }) => note).sort());
      expect(ada.leftOut.length + ada.notes.length).toBe(12);
      for (const { id, note } of all)
        expect([note, (await steps(server, id)).at(-1)]).toEqual([
          note,
          ada.notes.includes(note)
            ? `rejected by ${ADA}`
            : bob.notes.includes(note)
              ? `rejected by ${BOB}`
              : 'active by zoe@example.org',
        ]);
    });

    test('need one reason', async () => {
      const rows = await rowsOf([(await claimed(server)).note]);
      for (const reason of [undefined, ' ', 'x'.repeat(501)])
        await expect(
          server.services.review.rejectTogether({ rows, reviewer: ADA, reason }),
        ).rejects.toEqual(REFUSED('invalid_body', /reason/));
    });
  });

  test('the count has what is waiting', async () => {
    const { review } = server.services;
    const counts = async () => [
      review.countWaiting(),
      (await review.queue({ reviewer: ADA })).total,
    ];
    const [before = NaN] = await counts();
    const { note } = await claimed(server);
    expect(await counts()).toEqual([before + 1, before + 1]);
    await review.decide({ note, reviewer: ADA, decision: 'accept', reason: PAID_OTHERWISE });
    expect(await counts()).toEqual([before, before]);
    await review.undo({ note, reviewer: ADA });
    expect(await counts()).toEqual([before + 1, before + 1]);
  });

  test('a rejection needs a reason, which the operator sees; a revocation ends an active name', async () => {
    const { review, registration } = server.services;
    const { note, id } = await claimed(server);
    for (const reason of [undefined, ' \n', 'x'.repeat(501)])
      await expect(
        review.decide({ note, reviewer: ADA, decision: 'reject', reason }),
      ).rejects.toEqual(REFUSED('invalid_body', /reason/));
    await expect(
      review.decide({ note, reviewer: ADA, decision: 'revoke', reason: REASON }),
    ).rejects.toEqual(REFUSED('invalid_state', /Reject this one/));
    await review.decide({ note, reviewer: ADA, decision: 'reject', reason: ` ${REASON}\r\n` });
    expect(await registration.get(id)).toMatchObject({
      status: 'rejected',
      rejectionReason: REASON,
    });

    const other = await claimed(server);
    await accept(server.services, { id: other.id, reviewer: ADA });
    await review.decide({ ...other, reviewer: BOB, decision: 'revoke', reason: 'Asked for.' });
    expect((await steps(server, other.id)).at(-1)).toBe(`rejected by ${BOB}`);
  });

  test('only the reviewer who made a decision can undo it, for five seconds, which is a change of its own', async () => {
    const { review, registration } = server.services;
    const { note, id, name } = await claimed(server);
    const before = await registration.get(id);
    await review.decide({ note, reviewer: ADA, decision: 'accept', reason: PAID_OTHERWISE });
    await expect(review.undo({ note, reviewer: BOB })).rejects.toEqual(
      REFUSED('invalid_state', new RegExp(`Only ${ADA}`)),
    );
    now += UNDO_MS - 1;
    // Pressed twice at once, it is undone once.
    const undone = await Promise.allSettled([
      review.undo({ note, reviewer: ADA }),
      review.undo({ note, reviewer: ADA }),
    ]);
    expect(undone.map(({ status }) => status)).toContain('fulfilled');
    expect(await registration.get(id)).toEqual({ ...before, updatedAt: expect.any(String) });
    expect(server.services.registry.name(name).entry).toBeNull();
    expect((await steps(server, id)).slice(2)).toEqual([
      `active by ${ADA}`,
      `pending_review by ${ADA}`,
    ]);
    await expect(review.undo({ note, reviewer: ADA })).rejects.toEqual(
      REFUSED('invalid_state', /nothing to undo/),
    );

    await review.decide({ note, reviewer: ADA, decision: 'accept', reason: PAID_OTHERWISE });
    now += UNDO_MS;
    for (const reviewer of [ADA, BOB])
      await expect(review.undo({ note, reviewer })).rejects.toEqual(
        REFUSED('already_decided', new RegExp(`accepted by ${ADA}`)),
      );
    expect(await statusOf(server, id)).toBe('active');
  });

  test('an undone decision leads back to what was before: of an unpaid one, and of an active name', async () => {
    const { review, registration } = server.services;
    const unpaid = await registered(server.services, `name-${++names}`, { confirmed: false });
    const rejecting = {
      note: unpaid.note,
      reviewer: ADA,
      decision: 'reject',
      reason: REASON,
    } as const;
    const waiting = await registration.get(unpaid.id);
    await review.decide(rejecting);
    expect(await statusOf(server, unpaid.id)).toBe('rejected');
    await review.undo(rejecting);
    expect(await registration.get(unpaid.id)).toEqual({
      ...waiting,
      updatedAt: expect.any(String),
    });

    const active = await claimed(server);
    await accept(server.services, { id: active.id, reviewer: ADA });
    now += UNDO_MS;
    const shown = async () =>
      (await review.registration({ note: active.note, reviewer: BOB })).registration;
    const accepted = await shown();
    const revoking = { ...active, reviewer: BOB, decision: 'revoke', reason: REASON } as const;
    for (let round = 0; round < 2; round++) {
      await review.decide(revoking);
      expect(server.services.registry.name(active.name).entry).toBeNull();
      await review.undo(revoking);
      // Also who accepted it, and when.
      expect(await shown()).toEqual({
        ...accepted,
        rev: accepted.rev + 2 * (round + 1),
        updatedAt: expect.any(String),
      });
    }
    expect(server.services.registry.name(active.name).entry).toMatchObject({ name: active.name });
    // The decision before is as old as it was.
    await expect(review.undo({ note: active.note, reviewer: ADA })).rejects.toEqual(
      REFUSED('already_decided', /accepted by/),
    );
  });

  test('a rejection whose name was taken meanwhile can’t be undone', async () => {
    const { review } = server.services;
    const { note, id, name } = await claimed(server);
    await review.decide({ note, reviewer: ADA, decision: 'reject', reason: REASON });
    const other = await claimed(server, name);
    for (const undo of [
      () => review.undo({ note, reviewer: ADA }),
      () => review.undoTogether({ notes: [note, other.note], reviewer: ADA }),
    ])
      await expect(undo()).rejects.toEqual(REFUSED('name_taken', /is taken/));
    expect([await statusOf(server, id), await statusOf(server, other.id)]).toEqual([
      'rejected',
      'pending_review',
    ]);
  });

  test('when two reviewers decide at once, one decision counts and the other reviewer learns whose it was', async () => {
    const { review } = server.services;
    const { note, id } = await claimed(server);
    const outcomes = await Promise.allSettled([
      review.decide({ note, reviewer: ADA, decision: 'accept', reason: PAID_OTHERWISE }),
      review.decide({ note, reviewer: BOB, decision: 'reject', reason: REASON }),
    ]);
    const first = outcomes[0].status === 'fulfilled' ? ADA : BOB;
    const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    const what = first === ADA ? 'accept' : 'reject';
    const told = REFUSED(
      'already_decided',
      new RegExp(`${what}ed by ${first}.* at 2026-07-17 12:\\d\\d:\\d\\d UTC.$`),
    );
    expect(refusals).toEqual([told]);
    expect(await steps(server, id)).toHaveLength(3);
    now += UNDO_MS;
    await expect(
      review.decide({ note, reviewer: ADA, decision: 'accept', reason: PAID_OTHERWISE }),
    ).rejects.toEqual(told);
  });

  test('a decision stands although its reviewer is deactivated', async () => {
    const { email } = await signInReviewer(server.services, { email: 'gone@example.org' });
    const { id, note } = await claimed(server);
    await server.services.review.decide({
      note,
      reviewer: email,
      decision: 'accept',
      reason: PAID_OTHERWISE,
    });
    await deactivateReviewer(server.database, email, now);
    now += UNDO_MS;
    expect(await statusOf(server, id)).toBe('active');
  });

  test('a rejection never applies to a registration whose operator has reported the payment since', async () => {
    const { review, registration } = server.services;
    const name = `name-${++names}`;
    const { id, note } = await registered(server.services, name, { confirmed: false });
    const seen = (await review.registration({ note, reviewer: ADA })).registration.rev;
    const rejection = { note, reviewer: ADA, decision: 'reject', reason: 'Nobody paid.' } as const;

    await registration.confirm({ id });

    // The page was opened before: the rejection is refused.
    await expect(review.decide({ ...rejection, rev: seen })).rejects.toEqual(
      REFUSED('invalid_state', /has changed this registration since/),
    );
    await review.decide(rejection);
    expect(await statusOf(server, id)).toBe('rejected');
  });

  test('a decision that a server of the release before has left is carried out once, unless the registration no longer allows it', async () => {
    const left = async (id: string, decision: 'accept' | 'reject') =>
      server.database.db.insert(reviewDecisions).values({
        registrationId: id,
        reviewer: ADA,
        decision,
        reason: decision === 'reject' ? REASON : null,
        rev: decision === 'reject' ? 1 : null,
        madeAt: new Date(now),
        effectiveAt: new Date(now + UNDO_MS),
      });
    const [accepted, changed, later] = [
      await claimed(server),
      await claimed(server),
      await claimed(server),
    ];
    await left(accepted.id, 'accept');
    await left(changed.id, 'reject');
    now += UNDO_MS;
    await left(later.id, 'accept');
    const other = await start();
    await Promise.all([
      carryOutLeftover(server),
      carryOutLeftover(other),
      carryOutLeftover(server),
    ]);
    await other.stop();
    expect(await steps(server, accepted.id)).toEqual([
      'pending_payment by operator',
      'pending_review by operator',
      `active by ${ADA}`,
    ]);
    expect(await statusOf(server, changed.id)).toBe('pending_review');
    const rows = await server.database.db.select().from(reviewDecisions);
    expect(rows.map(({ registrationId }) => registrationId)).toEqual([later.id]);

    await server.services.stop();
    await server.database.close();
    now += UNDO_MS;
    server = await start();
    await eventually(() => statusOf(server, later.id), 'active');
  });

  test('a reviewer is the viewer of what they have open in any tab until they close it, another takes over, or ten minutes pass', async () => {
    const { review } = server.services;
    const [one, two] = [await claimed(server), await claimed(server)];
    const open = async (reviewer: string, { note }: { note: string }, takeOver = false) =>
      (await review.markOpen({ note, reviewer, takeOver })).viewer;
    const openNow = async () => {
      const { items } = await review.queue({ reviewer: ADA });
      return [one, two].map(({ note }) => items.find((item) => item.note === note)?.viewer);
    };
    // Two tabs.
    await Promise.all([open(ADA, one), open(ADA, two)]);
    expect(await openNow()).toEqual([ADA, ADA]);
    await review.markClosed({ note: two.note, reviewer: ADA });
    expect(await openNow()).toEqual([ADA, null]);
    // Closing does not end another reviewer's presence.
    expect(await open(BOB, one)).toBe(ADA);
    await review.markClosed({ note: one.note, reviewer: BOB });
    expect(await openNow()).toEqual([ADA, null]);

    now += PRESENCE_MS - 1;
    expect(await open(ADA, one)).toBe(ADA);
    now += PRESENCE_MS - 1;
    expect(await open(BOB, one)).toBe(ADA);
    now += 1;
    expect(await openNow()).toEqual([null, null]);
    expect(await open(BOB, one)).toBe(BOB);
    expect(await open(ADA, one, true)).toBe(ADA);
    await review.markClosed({ note: one.note, reviewer: ADA });
    expect(await openNow()).toEqual([null, null]);
    now += PRESENCE_MS;
    await server.services.deleteExpired();
    expect(await server.database.db.select().from(reviewPresence)).toEqual([]);
  });
});

test('a queue row shows the fee only where it differs from the usual one', async () => {
  const database = await createTestDatabase();
  const before = await startTestServer({ env: { ...database.env, REGISTRATION_FEE_USD: '7.50' } });
  await claimed(before, 'dearer');
  await before.stop();
  const server = await startTestServer({ env: database.env });
  await claimed(server, 'usual');
  const { cookie } = await signInReviewer(server.services);
  const { text } = await openPage(server, '/review', { headers: { cookie } });
  expect(text).toMatch(
    /dearer MESH-dearer-\w+ “#D-dearer” not in an import yet fee \$7\.50 reported [^“]{3,8} never seen/,
  );
  expect(text).toMatch(
    /usual MESH-usual-\w+ “#D-usual” not in an import yet reported [^“]{3,8} never seen/,
  );
  await server.stop();
  await database.drop();
});

describe('over HTTP', () => {
  let server: TestServer;
  let now = Date.UTC(2026, 6, 17, 12);
  let cookie = '';
  let bob = '';
  beforeAll(async () => {
    server = await startTestServer({ clock: () => now });
    ({ cookie } = await signInReviewer(server.services));
    ({ cookie: bob } = await signInReviewer(server.services, { email: BOB }));
  });
  afterAll(() => server.stop());

  const submit = (path: string, fields: Record<string, string>, headers = {}) =>
    server.get(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
      headers: { cookie, origin: server.url, ...headers },
    });
  const call = (path: string, input: unknown, headers: Record<string, string>) =>
    server.post(`/api/trpc/review.${path}`, input, {
      headers: { origin: server.url, ...headers },
    });
  const ask = (path: string, input: unknown, headers: Record<string, string>) =>
    server.get(`/api/trpc/review.${path}?input=${encodeURIComponent(JSON.stringify(input))}`, {
      headers,
    });

  test('one press accepts only what is paid for: else the page asks for the reason, and keeps what was typed', async () => {
    const { note, id } = await claimed(server);
    const path = `/review?index=&open=${note}`;
    const accept = (fields: Record<string, string>) =>
      submit(path, { intent: 'accept', note, ...fields });
    const page = async (at: string) => (await openPage(server, at, { headers: { cookie } })).text;
    for (const at of [path, `/review/registrations/${note}`]) {
      const text = await page(at);
      expect(text).toContain('Accept without payment…');
      expect(text).toContain('Why accept it without a matching payment?');
    }
    const refused = await accept({ reason: ' ' });
    expect(refused.status).toBe(400);
    const html = await refused.text();
    expect(html).toMatch(/<details[^>]* open=""[^>]*><summary[^>]*>Accept without payment/);
    expect(html).toContain('This must have 1 to 500 characters.');
    expect(await statusOf(server, id)).toBe('pending_review');

    await importPayment(server, note);
    expect(await page(path)).not.toContain('Accept without payment');
    expect((await accept({})).status).toBe(303);
    expect(await statusOf(server, id)).toBe('active');
    now += UNDO_MS;
  });

  test('what was accepted one by one or together is undone from whatever page one goes to, which stays', async () => {
    const [one, two, three] = [await claimed(server), await claimed(server), await claimed(server)];
    for (const { note } of [one, two, three])
      await importPayment(server, note, { paidAt: new Date(now) });
    const bar = async (path: string, as = cookie) =>
      (await openPage(server, path, { headers: { cookie: as } })).text;
    const statuses = () => Promise.all([one, two, three].map(({ id }) => statusOf(server, id)));
    await submit(`/review?index=&open=${one.note}`, { intent: 'accept', note: one.note });
    now += 1;
    const together = new URLSearchParams({ intent: 'accept' });
    for (const { note } of [two, three]) together.append('note', note);
    const accepted = await server.get('/review/payments', {
      ...{ method: 'POST', body: together, redirect: 'manual' },
      headers: { cookie, origin: server.url },
    });
    expect(await statuses()).toEqual(['active', 'active', 'active']);
    const pages = ['nodes', 'names', 'history', 'registrations', 'payments', 'account'];
    for (const path of [
      ...pages.map((page) => `/review/${page}`),
      '/review',
      accepted.headers.get('location') ?? '',
    ]) {
      expect(await bar(path)).toMatch(
        new RegExp(`2 registrations accepted Undo .*${one.name} accepted Undo `),
      );
      expect(await bar(path, bob)).not.toContain('accepted Undo');
    }
    const undo = (notes: string[], back: string) => {
      const form = new URLSearchParams({ intent: 'undo', back });
      for (const note of notes) form.append('note', note);
      return server.get('/review?index=', {
        ...{ method: 'POST', body: form, redirect: 'manual' },
        headers: { cookie, origin: server.url },
      });
    };
    const undone = await undo([two.note, three.note], '/review/history?q=attic');
    expect([undone.status, undone.headers.get('location')]).toEqual([
      303,
      '/review/history?q=attic',
    ]);
    expect(await statuses()).toEqual(['active', 'pending_review', 'pending_review']);
    // Nowhere but within the dashboard.
    const elsewhere = await undo([one.note], 'https://example.org/review');
    expect(elsewhere.headers.get('location')).toBe(`/review?open=${one.note}`);
    expect(await statuses()).toEqual(['pending_review', 'pending_review', 'pending_review']);
    expect(await bar('/review/nodes')).not.toContain('accepted Undo');
  });

  test('strangers are sent to sign in, and their forms change nothing', async () => {
    const { note, id } = await claimed(server);
    for (const path of ['/review', '/review/registrations', `/review/registrations/${note}`]) {
      const answer = await server.get(path, { redirect: 'manual' });
      expect(answer.status, path).toBe(302);
      expect(answer.headers.get('location')).toMatch(/^\/review\/sign-in\?next=/);
    }
    const fields = { intent: 'accept', note, reason: PAID_OTHERWISE };
    expect((await submit('/review?index', fields, { cookie: '' })).status).toBe(302);
    const foreign = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };
    expect((await submit('/review?index', fields, foreign)).status).toBe(403);
    expect(await statusOf(server, id)).toBe('pending_review');
    await reject(server.services, { id, reviewer: ADA, reason: REASON });
  });

  test('every procedure of the queue answers reviewers and refuses strangers and other sites', async () => {
    const { note } = await claimed(server);
    const queries = [
      ['queue.list', {}],
      ['queue.get', { note }],
      ['registrations.list', {}],
    ] as const;
    for (const [path, input] of queries) {
      expect((await ask(path, input, {})).status, path).toBe(401);
      const answer = await ask(path, input, { cookie });
      expect(answer.status, path).toBe(200);
      // A registration's id is its operator's secret.
      expect(await answer.text()).not.toContain('reg_');
    }
    const mutations = [
      ['queue.markOpen', { note }],
      ['queue.markClosed', { note }],
      ['queue.decide', { note, decision: 'accept', reason: PAID_OTHERWISE, reviewer: BOB }],
      ['queue.undo', { note }],
    ] as const;
    for (const [path, input] of mutations) {
      expect((await call(path, input, {})).status, path).toBe(401);
      const foreign = { cookie, origin: 'https://elsewhere.example' };
      expect((await call(path, input, foreign)).status, path).toBe(403);
      const answer = await call(path, input, { cookie });
      expect(answer.status, path).toBe(200);
      // The reviewer comes from the session, whatever the input says.
      if (path === 'queue.decide') expect(await answer.text()).toContain(ADA);
    }
    expect((await ask('queue.get', { note: 'MESH-nobody-444444' }, { cookie })).status).toBe(404);
  });

  test('without scripts a reviewer opens, rejects with a reason, undoes, accepts and continues with the next', async () => {
    const { services } = server;
    // Later than what other tests left waiting.
    now += 1000;
    const one = await claimed(server, 'attic');
    now += 1000;
    const two = await claimed(server, 'barn');
    const open = (note: string) => `/review?open=${encodeURIComponent(note)}`;
    let page = await openPage(server, open(one.note), { headers: { cookie } });
    expect(page.status).toBe(200);
    expect(page.text).toContain(one.note);
    expect(page.text).toContain('#D-attic');
    expect(page.html).not.toContain('reg_');
    const forBob = async () =>
      (await openPage(server, open(one.note), { headers: { cookie: bob } })).text;
    expect(await forBob()).toContain('ada has this open');
    // Two reviewers with the same name are shown with their addresses.
    await signInReviewer(server.services, { email: 'ada@third.org' });
    expect(await forBob()).toContain(`ada (${ADA}) has this open`);

    const failed = await submit('/review?index', { intent: 'reject', note: one.note });
    expect(failed.status).toBe(400);
    expect(await failed.text()).toContain('must have 1 to 500 characters');

    const fields = { intent: 'reject', note: one.note, phrase: REASON };
    const rejected = await submit('/review?index', fields);
    expect(rejected.status).toBe(303);
    expect(rejected.headers.get('location')).toBe(open(two.note));
    page = await openPage(server, open(two.note), { headers: { cookie } });
    // Without scripts nothing counts the seconds down.
    expect(page.html).toMatch(
      /rejected.*Undo.*<time class="[^"]*without-scripts" [^>]*>until (<!-- -->)?\d\d:\d\d:\d\d UTC/,
    );
    const undone = await submit('/review?index', { intent: 'undo', note: one.note });
    expect(undone.headers.get('location')).toBe(open(one.note));

    await submit('/review?index', { intent: 'accept', note: one.note, reason: PAID_OTHERWISE });
    const second = await submit('/review?index', fields, { cookie: bob });
    expect(second.status).toBe(409);
    expect(await second.text()).toContain(`already accepted by ${ADA}`);
    expect(services.registry.name('attic').entry).not.toBeNull();

    const detail = `/review/registrations/${one.note}`;
    page = await openPage(server, detail, { headers: { cookie } });
    expect(page.text).toMatch(/Active.*accepted by ada@example.org/i);
    const revoked = await submit(detail, {
      intent: 'revoke',
      note: one.note,
      reason: 'Asked for.',
    });
    expect(revoked.headers.get('location')).toBe(detail);
    expect((await services.registration.get(one.id)).rejectionReason).toBe('Asked for.');
    page = await openPage(server, detail, { headers: { cookie } });
    expect(page.text).toMatch(/Was active 2026-07-17 [\d:]+ UTC to 2026-07-17 [\d:]+ UTC/);
    expect(page.text).not.toContain('Active since');
  });

  test('a row shows the confirmation text, the payment and the node’s current state, such as blocked', async () => {
    const { note } = await claimed(server, 'shed');
    const shown = (path: string) => openPage(server, path, { headers: { cookie } });
    const row = async () =>
      /shed (1 warning )?MESH-shed-.*? min/.exec((await shown('/review')).text)?.[0];
    const rowWith = (state: string) =>
      `${note} “#D-shed” not in an import yet reported now ${state} node 0 min`;
    expect(await row()).toBe(`shed ${rowWith('never seen')}`);
    const ping = { nodeId: 'node_shed', lat: 1, lng: 1, class: 'M', region: 'EU', status: 'idle' };
    expect((await server.post('/api/mesh/ping', ping)).ok).toBe(true);
    expect(await row()).toBe(`shed ${rowWith('idle')}`);
    await server.services.nodes.block({ nodeId: 'node_shed', reviewer: ADA, reason: 'Nonsense.' });
    expect(await row()).toBe(`shed 1 warning ${rowWith('blocked 1 warning')}`);
    for (const path of [`/review?open=${note}`, `/review/registrations/${note}`]) {
      const { text } = await shown(path);
      expect(text).toContain('The node is blocked. Its heartbeats are rejected');
      expect(text).not.toContain('no heartbeat received');
    }
  });

  test('registrations are found by name, note, node, label, confirmation text and status', async () => {
    const { note } = await claimed(server, 'needle');
    const list = (query: string) =>
      openPage(server, `/review/registrations?${query}`, { headers: { cookie } });
    for (const q of ['need', note.toLowerCase(), 'NODE_needle', '#d-needle', 'label of needle']) {
      const { text } = await list(new URLSearchParams({ q }).toString());
      expect(text, q).toContain('1 registration');
      expect(text).toContain(note);
    }
    expect((await list('q=needle&status=active')).text).toContain('No matching registrations');
    const missing = await openPage(server, '/review/registrations/MESH-nobody-444444', {
      headers: { cookie },
    });
    expect(missing.status).toBe(404);
  });

  test('a stream behind another one ends with their connection, too', async () => {
    const { cookie } = await signInReviewer(server.services, { email: 'pat@example.org' });
    const { review } = server.services;
    const { changes } = review;
    const signals: AbortSignal[] = [];
    review.changes = (session, signal) => (signals.push(signal), changes(session, signal));
    const { hostname, port, host } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const request = `GET /api/trpc/review.queue.changes HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`;
    socket.write(request.repeat(2));
    await eventually(() => signals.length, 2);
    socket.destroy();
    await eventually(() => signals.every(({ aborted }) => aborted), true);
    Object.assign(review, { changes });
  });

  test('the stream reports what another reviewer does, and ends with the session', async () => {
    const { email } = await signInReviewer(server.services, { email: 'eve@example.org' });
    const { cookies } = await server.services.accounts.signIn(
      { email, password: 'correct horse battery' },
      new Headers(),
    );
    const eve = { cookie: cookies.map((one) => one.replace(/;.*/, '')).join('; ') };
    const stranger = await server.get('/api/trpc/review.queue.changes');
    expect(await stranger.text()).toContain('Sign in as a reviewer first');
    const { note } = await claimed(server);
    const stream = await server.get('/api/trpc/review.queue.changes', { headers: eve });
    let text = '';
    const ended = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>)
        text += decoder.decode(chunk);
    })();
    const events = () => text.split('"waiting"').length - 1;
    await eventually(events, 1);
    const { markOpen, markClosed, decide, undo } = server.services.review;
    const accept = () =>
      decide({ note, reviewer: BOB, decision: 'accept', reason: PAID_OTHERWISE });
    // The last two are reverted before the stream looks, but a page may have loaded meanwhile.
    for (const work of [
      [() => markOpen({ note, reviewer: BOB })],
      [accept],
      [() => undo({ note, reviewer: BOB })],
      [() => markClosed({ note, reviewer: BOB })],
      [accept, () => undo({ note, reviewer: BOB })],
      [() => markOpen({ note, reviewer: BOB }), () => markClosed({ note, reviewer: BOB })],
    ]) {
      const before = events();
      now += 1;
      for (const step of work) await step();
      await eventually(() => events() > before, true);
    }
    await deactivateReviewer(server.database, email, now);
    now += 10_000;
    await eventually(() => text.includes('Sign in as a reviewer first'), true);
    await ended;
  });
});
