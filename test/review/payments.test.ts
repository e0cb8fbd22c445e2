import { eq, getTableName, is, sql } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import * as schema from '#db/schema/index.ts';
import { payments, reviewActions } from '#db/schema/index.ts';
import { pin, sendSigned } from '../support/node-keys.ts';
import { deactivateReviewer, signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { exportFor } from './exports.ts';
import { aPing } from '../contract/contract.ts';
import { openPage } from '../pages/page.ts';
import { expectRefused, registered, trpcOf, upload, type Registered } from './support.ts';
import { accept, reject, statusChanges } from '../support/decisions.ts';

/** People in the example, and who exported it: they must not be found anywhere. */
const PEOPLE =
  /Quux|María|Ñandú|Xiang|Fnord|Çelik|Your Cash|Visa Debit|Checking|Coffee|zoes-activity/;

describe('payments', () => {
  let server: TestServer;
  let garage: Registered, farm: Registered, attic: Registered, cellar: Registered;
  let cookie: string;
  const services = () => server.services;
  const stored = () => server.database.db.select().from(payments).orderBy(payments.id);
  const send = (body: FormData | URLSearchParams, path = '/review/payments?tab=imports') =>
    openPage(server, path, { method: 'POST', body, headers: { cookie, origin: server.url } });
  const paymentOf = async (id: string) =>
    (await services().payments.list({ q: '', matchState: null, page: 1 })).payments.find(
      (payment) => payment.id === id,
    );

  beforeAll(async () => {
    // The clock stands still, so a decision can be undone for as long as the test needs.
    const now = Date.now();
    server = await startTestServer({ env: { RATE_LIMITS: 'off' }, clock: () => now });
    ({ cookie } = await signInReviewer(services()));
    garage = await registered(services(), 'garage');
    farm = await registered(services(), 'farm');
    attic = await registered(services(), 'attic');
    cellar = await registered(services(), 'cellar', { confirmed: false });
  });
  afterAll(() => server.stop());

  test('an import counts the rows of an export and shows each payment beside its registration', async () => {
    const text = exportFor([garage, farm, attic]);
    const page = await send(upload(text));
    expect(page.status).toBe(200);
    expect(page.text).toContain(
      '10 rows: 5 payments (5 new, 0 known), 2 outgoing, 1 not completed, 2 of another kind.',
    );
    expect(page.text).toContain('all 5 payment found 1 amount differs 1 several payments 2');
    expect(await paymentOf('k7d2p9')).toMatchObject({
      matchState: 'found',
      registration: { note: garage.note },
    });
    expect(await paymentOf('k7d2q1')).toMatchObject({ matchState: 'differs', amountCents: 400 });
    // The note is found in lower case and within other text.
    expect(await paymentOf('k7d2q3')).toMatchObject({
      matchState: 'several',
      registration: { name: 'attic' },
    });
    expect(await paymentOf('k7d2s9')).toMatchObject({
      matchState: 'unmatched',
      registration: null,
      likely: [{ name: 'cellar', by: 'name' }],
    });
    expect(page.html).not.toContain(garage.id);
  });

  test('importing the same file twice, or two files at once, stores each payment once', async () => {
    const before = await stored();
    const actions = () =>
      server.database.db
        .select()
        .from(reviewActions)
        .where(eq(reviewActions.action, 'payments_imported'));
    expect(await actions()).toMatchObject([
      {
        actor: 'ada@example.org',
        action: 'payments_imported',
        reason: '5 new of 5 payments in 10 rows',
      },
    ]);
    const again = await send(upload(exportFor([garage, farm, attic])));
    expect(again.text).toContain('No new payments');
    expect(again.text).toContain('5 payments (0 new, 5 known)');
    expect(await stored()).toEqual(before);
    expect(await actions()).toHaveLength(1);

    const [head] = exportFor([]).split('\n');
    const rows = Array.from(
      { length: 2000 },
      (_, n) => `both${n},2026-11-20 14:00:00 UTC,P2P,USD,$1.00,,,,,,COMPLETE,note ${n},Zed,`,
    );
    const file = (order: string[]) => ({ text: [head, ...order].join('\n') });
    const reports = await Promise.all([
      services().payments.import(file(rows), 'ada@example.org'),
      services().payments.import(file([...rows].reverse()), 'bob@example.org'),
    ]);
    const fresh = reports.map((report) => (report.kind === 'imported' ? report.fresh : NaN));
    expect(fresh.reduce((a, b) => a + b)).toBe(2000);
    expect(await stored()).toHaveLength(before.length + 2000);
    // Beyond the last page is the last page.
    const { page } = await services().payments.list({ q: '', matchState: 'unmatched', page: 99 });
    expect(page).toEqual({ number: 41, limit: 50, total: 2001 });
    await server.database.db.delete(payments).where(sql`${payments.id} like 'both%'`);
  });

  test('a large import does not block other queries, and sending the file again completes an interrupted one', async () => {
    const [head] = exportFor([]).split('\n');
    const ROWS = 6500;
    const rows = Array.from(
      { length: ROWS },
      (_, n) =>
        `part${String(n).padStart(4, '0')},2026-11-20 14:00:00 UTC,P2P,USD,$1.00,,,,,,COMPLETE,n,Zed,`,
    );
    const file = { text: [head, ...rows].join('\n') };
    const { db } = server.database;
    const ofThem = sql`${payments.id} like 'part%'`;
    const entries = async () =>
      (await db.select().from(reviewActions))
        .filter(({ reason }) => reason?.includes(` of ${ROWS} payments`))
        .map(({ reason }) => parseInt(reason ?? ''));
    const sum = (counts: number[]) => counts.reduce((a, b) => a + b, 0);

    await db.execute(sql`create function away() returns trigger language plpgsql as
      'begin raise exception using errcode = ''57P03''; end'`);
    await db.execute(sql`create trigger away before insert on payments
      for each row when (new.id = 'part1800') execute function away()`);
    const page = await send(upload(file.text));
    expect(page.status).toBe(503);
    expect(page.text).toContain('Send the same file again');
    const there = await db.$count(payments, ofThem);
    expect(there).toBeGreaterThan(0);
    expect(there).toBeLessThan(1800);
    expect(sum(await entries())).toBe(there);
    await db.execute(sql`drop function away cascade`);

    let done = false;
    const again = services()
      .payments.import(file, 'ada@example.org')
      .finally(() => (done = true));
    const seen = new Set<number>();
    while (!done) {
      seen.add(await db.$count(payments, ofThem));
      await turn();
    }
    expect(await again).toMatchObject({ payments: ROWS, fresh: ROWS - there, known: there });
    expect([...seen].filter((n) => n > there && n < ROWS)).not.toEqual([]);
    expect(sum(await entries())).toBe(ROWS);
    await db.delete(payments).where(ofThem);
  });

  test('nothing about the people in a file is stored or logged', async () => {
    expect(JSON.stringify(await stored())).not.toMatch(PEOPLE);
    for (const table of Object.values(schema)) {
      if (!is(table, PgTable)) continue;
      const name = getTableName(table);
      const rows = await server.database.db.select().from(table);
      expect({ name, found: PEOPLE.exec(JSON.stringify(rows))?.[0] }).toEqual({ name });
    }
    expect(PEOPLE.exec(server.log())?.[0]).toBeUndefined();
  });

  test('unreported, late and duplicate payments have states of their own', async () => {
    const cell = await registered(services(), 'cellar-2', { confirmed: false });
    const gone = await registered(services(), 'gone');
    await reject(services(), { id: gone.id, reviewer: 'bob@example.org', reason: 'no' });
    const done = await registered(services(), 'done');
    await accept(services(), { id: done.id, reviewer: 'bob@example.org' });
    const [head] = exportFor([]).split('\n');
    const row = (id: string, note: string) =>
      `${id},2026-11-21 14:00:00 UTC,P2P,USD,$5.00,,,,,,COMPLETE,${note},Zed,`;
    const text = [
      head,
      row('p1', cell.note),
      row('p2', gone.note),
      row('p3', done.note),
      row('p4', done.note),
      // One letter too few.
      row('p5', cellar.note.slice(0, -1)),
      row('p6', attic.note),
    ].join('\n');
    await services().payments.import({ text }, 'ada@example.org');
    expect((await paymentOf('p1'))?.matchState).toBe('unconfirmed');
    expect((await paymentOf('p2'))?.matchState).toBe('rejected');
    expect(await paymentOf('p3')).toMatchObject({
      matchState: 'active',
      registration: { payments: 2 },
    });
    expect(await paymentOf('p5')).toMatchObject({
      matchState: 'unmatched',
      likely: [{ name: 'cellar', note: cellar.note, by: 'note' }],
    });
    const { text: shown } = await openPage(server, '/review/payments?state=active', {
      headers: { cookie },
    });
    expect(shown).toContain('already active 2 payments with this note');
    const { text: several } = await openPage(server, '/review/payments?state=several', {
      headers: { cookie },
    });
    expect(several).toMatch(new RegExp(`${attic.note} p6 \\$5\\.00 [\\w ]+ ago 3 payments attic`));
  });

  test('a payment that a later file lists as refunded is reported and no longer counts as paid', async () => {
    const first = exportFor([garage, farm, attic]);
    const later = first.replace('PAYMENT DEPOSITED', 'PAYMENT REFUNDED');
    const earlier = first.replace('PAYMENT DEPOSITED', 'PENDING');
    const waits = async () =>
      (await services().review.paidAndWaiting()).rows.map(({ name }) => name).includes('garage');
    const found = await openPage(server, `/review?open=${garage.note}`, { headers: { cookie } });
    expect(found.text).toContain('payment found');
    expect(await waits()).toBe(true);
    // Pending comes before completed: such a file is older.
    expect((await send(upload(earlier))).text).toContain('No new payments');
    expect(await waits()).toBe(true);

    const page = await send(upload(later));
    expect(page.text).toContain('They no longer count as paid');
    expect(page.text).toContain(`$5.00 ${garage.note}`);
    expect(await paymentOf('k7d2p9')).toMatchObject({
      matchState: 'reversed',
      registration: { note: garage.note, status: 'pending_review' },
    });
    expect(await waits()).toBe(false);
    const open = await openPage(server, `/review?open=${garage.note}`, { headers: { cookie } });
    expect(open.text).not.toContain('payment found');
    // It stays reversed when the older file is imported again, and the report says so.
    expect((await send(upload(later))).text).not.toContain('reversed by an earlier import');
    const older = await send(upload(first));
    expect(older.text).toMatch(/reversed by an earlier import\. .* \$5\.00 MESH-garage-/);
    expect(older.text).not.toContain('They no longer count as paid');
    expect(await paymentOf('k7d2p9')).toMatchObject({ matchState: 'reversed' });
    // A file that lists it as both reports it once.
    const both = await send(upload([later, ...first.split('\n').slice(1)].join('\n')));
    expect(both.text).toContain('They no longer count as paid');
    expect(both.text).not.toContain('reversed by an earlier import');
    const imports = await server.database.db.select().from(reviewActions);
    expect(imports.filter(({ reason }) => reason?.includes('no longer completed'))).toHaveLength(1);
    await server.database.db.update(payments).set({ reversedAt: null });
  });

  test('paid registrations are accepted in bulk, each once, with a result for each', async () => {
    const second = await registered(services(), 'second');
    const third = await registered(services(), 'third');
    const fourth = await registered(services(), 'fourth');
    const fifth = await registered(services(), 'fifth');
    const [head] = exportFor([]).split('\n');
    const row = (id: string, note: string) =>
      `${id},2026-11-21 14:00:00 UTC,P2P,USD,$5.00,,,,,,COMPLETE,${note},Zed,`;
    const paid = [second, third, fourth, fifth].map(({ note }, n) => row(`t${n}`, note));
    await services().payments.import({ text: [head, ...paid].join('\n') }, 'ada@example.org');
    const page = await openPage(server, '/review/payments', { headers: { cookie } });
    for (const { note } of [garage, second, third, fourth, fifth])
      expect(page.html).toContain(`name="note" checked="" value="${note}"`);

    // Meanwhile another reviewer decides one, and another one is paid a second time.
    await reject(services(), { id: third.id, reviewer: 'bob@example.org', reason: 'no' });
    await services().payments.import({ text: [head, row('t9', fourth.note)].join('\n') }, 'bob');
    await services().review.decide({
      note: fifth.note,
      reviewer: 'bob@example.org',
      decision: 'reject',
      reason: 'no',
    });
    const form = new URLSearchParams({ intent: 'accept' });
    for (const { note } of [garage, second, third, fourth, fifth]) form.append('note', note);
    const answers = await Promise.all([send(form), send(form)]);
    const location = answers[0]?.headers.get('location') ?? '';
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    const { text } = await openPage(server, location, { headers: { cookie } });
    expect(text).toMatch(/garage accepted by ada , /);
    expect(text).toMatch(/second accepted by ada , /);
    expect(text).toMatch(/third rejected by bob@example.org, .{1,20}: no/);
    expect(text).toContain('fourth not accepted . Another payment with this note was imported.');
    expect(text).toMatch(/fifth rejected by bob@example.org, .{1,20}: no/);
    const history = await statusChanges(services(), second.id);
    expect(history.filter(({ toStatus }) => toStatus === 'active')).toHaveLength(1);
  });

  test('a payment that only the confirmation text names is shown beside its registration and decides nothing', async () => {
    const old = await registered(services(), 'tower');
    await reject(services(), { id: old.id, reviewer: 'ada@example.org', reason: 'late' });
    const [head] = exportFor([]).split('\n');
    const row = (id: string, note: string) =>
      `${id},2026-11-21 14:00:00 UTC,P2P,USD,$5.00,,,,,,COMPLETE,${note},Zed,`;
    await services().payments.import(
      { text: [head, row('D7Q2M41', 'thanks'), row('w1', old.note)].join('\n') },
      'ada@example.org',
    );
    // One names the id as the app shows it, the other one the note of an earlier registration.
    const byId = await registered(services(), 'villa', { confirmed: false });
    await services().registration.confirm({ id: byId.id, cashConfirm: 'see #D-7Q2M41' });
    const byNote = await registered(services(), 'tower-2', { confirmed: false });
    await services().registration.confirm({ id: byNote.id, cashConfirm: old.note.toLowerCase() });
    const opened = async ({ note }: Registered) =>
      (await services().review.queue({ reviewer: 'ada@example.org', open: note })).open;
    expect(await opened(byId)).toMatchObject({
      payment: { state: 'none', payments: [], named: [{ amountUsd: 5, note: 'thanks' }] },
      samePayment: { rows: [] },
    });
    expect(await opened(byNote)).toMatchObject({
      payment: { state: 'none', payments: [], named: [{ amountUsd: 5, note: old.note }] },
      samePayment: { rows: [{ note: old.note, status: 'rejected' }] },
    });
    const panel = await openPage(server, `/review?open=${byNote.note}`, { headers: { cookie } });
    expect(panel.text).toMatch(/It names a payment of \$5\.00 on .{10} with the note “MESH-tower-/);
    expect(panel.text).toMatch(/Other registrations for this payment tower rejected/);
    expect(await paymentOf('D7Q2M41')).toMatchObject({
      likely: [{ note: byId.note, name: 'villa', by: 'text' }],
    });
    expect(await paymentOf('w1')).toMatchObject({
      matchState: 'rejected',
      likely: [{ note: byNote.note, by: 'text' }],
    });
    // A second registration that names it is shown beside the first.
    const second = await registered(services(), 'villa-2', { confirmed: false });
    await services().registration.confirm({ id: second.id, cashConfirm: 'D7Q2M41' });
    expect(await opened(byId)).toMatchObject({ samePayment: { rows: [{ note: second.note }] } });
    const together = (await services().review.paidAndWaiting()).rows.map(({ name }) => name);
    expect(together).not.toEqual(expect.arrayContaining([expect.stringMatching(/villa|tower/)]));
  });

  test('payments dated in the future and duplicate confirmation texts are flagged and left out of bulk accept', async () => {
    const early = await registered(services(), 'early');
    const twins = [
      await registered(services(), 'twin-1', { confirmed: false }),
      await registered(services(), 'twin-2', { confirmed: false }),
    ] as const;
    for (const { id } of twins)
      await services().registration.confirm({
        id,
        cashConfirm: id === twins[0].id ? '#T-1' : 't1',
      });
    const [head] = exportFor([]).split('\n');
    const row = (id: string, note: string, day: string) =>
      `${id},${day} 14:00:00 UTC,P2P,USD,$5.00,,,,,,COMPLETE,${note},Zed,`;
    const text = [
      head,
      row('f1', early.note, '2099-01-01'),
      row('f2', twins[0].note, '2026-11-20'),
    ].join('\n');
    await services().payments.import({ text }, 'ada@example.org');
    expect(await paymentOf('f1')).toMatchObject({ matchState: 'found', future: true });
    expect(await paymentOf('f2')).toMatchObject({ future: false, duplicateConfirmation: true });
    const { items } = await services().review.queue({ reviewer: 'ada@example.org' });
    expect(
      items
        .filter((item) => item.duplicateConfirmation)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['twin-1', 'twin-2']);
    const { open } = await services().review.queue({
      reviewer: 'ada@example.org',
      open: twins[0].note,
    });
    expect(open?.sameConfirmation).toMatchObject({ rows: [{ name: 'twin-2' }], total: 1 });
    for (const { note } of [early, twins[0]]) {
      const filter = { q: note, matchState: 'found', page: 1, needsLook: true } as const;
      expect((await services().payments.list(filter)).page.total).toBe(1);
    }
    const { rows, leftOut } = await services().review.paidAndWaiting();
    expect(rows.map(({ name }) => name)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/early|twin/)]),
    );
    expect(leftOut).toEqual(
      expect.arrayContaining([
        { name: 'early', note: early.note, why: 'future' },
        { name: 'twin-1', note: twins[0].note, why: 'duplicate' },
      ]),
    );
    const notes = [early.note, twins[0].note];
    await services().review.acceptTogether(notes, 'ada@example.org');
    expect(await services().review.acceptOutcomes(notes)).toMatchObject([
      { name: 'early', status: 'pending_review', leftOut: 'future' },
      { name: 'twin-1', status: 'pending_review', leftOut: 'duplicate' },
    ]);
  });

  /** Imports a payment with the note of a registration; of the fee, unless another amount is given. */
  const pay = ({ name, note }: Registered, amount = '$5.00') => {
    const [head] = exportFor([]).split('\n');
    const text = `${head}\nof-${name},2026-11-20 14:00:00 UTC,P2P,USD,${amount},,,,,,COMPLETE,${note},Zed,`;
    return services().payments.import({ text }, 'ada@example.org');
  };

  test('a payment of too little or too much differs, and is left out of bulk accept', async () => {
    for (const [name, amount, amountUsd] of [
      ['little', '$4.99', 4.99],
      ['much', '$5.01', 5.01],
    ] as const) {
      const one = await registered(services(), name);
      await pay(one, amount);
      const { open } = await services().review.queue({
        reviewer: 'ada@example.org',
        open: one.note,
      });
      expect(open?.payment).toMatchObject({ state: 'differs', payments: [{ amountUsd }] });
      const { rows } = await services().review.paidAndWaiting();
      expect(rows.map((row) => row.name)).not.toContain(name);
      await services().review.acceptTogether([one.note], 'ada@example.org');
      expect((await services().registration.get(one.id)).status).toBe('pending_review');
      await server.database.db.delete(payments).where(eq(payments.id, `of-${name}`));
    }
  });

  test('a registration whose node is pinned to another key is left out of bulk accept', async () => {
    const borrowed = await registered(services(), 'borrowed');
    const { nodeId } = await services().registration.row(borrowed.id);
    await pay(borrowed);
    await pin(server, nodeId, generateNodeKey());
    const { rows, leftOut } = await services().review.paidAndWaiting();
    expect(rows.map(({ name }) => name)).not.toContain('borrowed');
    expect(leftOut).toContainEqual({ name: 'borrowed', note: borrowed.note, why: 'notice' });
    await services().review.acceptTogether([borrowed.note], 'ada@example.org');
    expect(await services().review.acceptOutcomes([borrowed.note])).toMatchObject([
      { status: 'pending_review', leftOut: 'notice' },
    ]);
  });

  test('bulk accept pins the node of a proved registration', async () => {
    const nodeKey = generateNodeKey();
    const key = nodeKeyText(nodeKey);
    const proved = await registered(services(), 'bulk-proved');
    const { nodeId } = await services().registration.row(proved.id);
    const sent = { key: nodeKey, now: services().context.clock(), body: aPing({ nodeId }) };
    expect((await sendSigned(server, '/api/mesh/ping', sent)).ok).toBe(true);
    await services().registration.claimByKey({ nodeId, id: proved.id, key });
    await pay(proved);
    expect(services().identity.pinOf(nodeId)).toBeUndefined();
    await services().review.acceptTogether([proved.note], 'ada@example.org');
    expect(services().identity.pinOf(nodeId)).toMatchObject({ key, source: 'registration' });
  });

  test('a payment needs a look unless it can be accepted in bulk, or nothing is left to decide', async () => {
    const [clean, short, done, gone] = [
      await registered(services(), 'look-clean'),
      await registered(services(), 'look-short'),
      await registered(services(), 'look-done'),
      await registered(services(), 'look-gone'),
    ];
    const silent = await registered(services(), 'look-silent', { confirmed: false });
    await accept(services(), { id: done.id, reviewer: 'bob@example.org' });
    await reject(services(), { id: gone.id, reviewer: 'bob@example.org', reason: 'no' });
    const [head] = exportFor([]).split('\n');
    const row = (id: string, note: string, more: { amount?: string; state?: string } = {}) =>
      `${id},2026-11-20 14:00:00 UTC,P2P,USD,${more.amount ?? '$5.00'},,,,,,${more.state ?? 'COMPLETE'},${note} look,Zed,`;
    const send = (...rows: string[]) =>
      services().payments.import({ text: [head, ...rows].join('\n') }, 'ada@example.org');
    const needLook = async () =>
      (
        await services().payments.list({ q: ' look', matchState: null, page: 1, needsLook: true })
      ).payments
        .map(({ id }) => id)
        .sort();
    await send(
      row('look-clean', clean.note),
      row('look-short', short.note, { amount: '$4.00' }),
      row('look-done', done.note),
      row('look-gone', gone.note),
      row('look-silent', silent.note),
      row('look-nobody', 'thanks'),
    );
    expect(await needLook()).toEqual(['look-gone', 'look-nobody', 'look-short', 'look-silent']);

    // These two registrations rely on their payments.
    await send(
      ...['clean', 'done', 'gone', 'nobody'].map((name) =>
        row(`look-${name}`, 'x', { state: 'REFUNDED' }),
      ),
    );
    expect(await needLook()).toEqual(['look-clean', 'look-done', 'look-short', 'look-silent']);
    const { all } = await services().payments.list({
      q: '',
      matchState: null,
      page: 1,
      needsLook: true,
    });
    expect(await services().payments.countNeedingLook()).toBe(all);
    await server.database.db.delete(payments).where(sql`${payments.id} like 'look-%'`);
  });

  test('payments are found by id, note and amount', async () => {
    const found = async (q: string) =>
      (await services().payments.list({ q, matchState: null, page: 1 })).payments.map(
        ({ id }) => id,
      );
    expect(await found('#d-7q2m')).toEqual(['D7Q2M41']);
    expect(await found('THANKS')).toEqual(expect.arrayContaining(['D7Q2M41', 'k7d2q1']));
    expect(await found('$4.00')).toEqual(['k7d2q1']);
    expect(await found('%')).toEqual([]);
    const page = await openPage(server, '/review/payments?q=%23d-7q2m', { headers: { cookie } });
    expect(page.text).toContain('D7Q2M41');
    expect(page.text).not.toContain('k7d2q1');
  });

  test('a NUL in a note or an export causes no internal error', async () => {
    const before = await stored();
    expect((await send(new URLSearchParams({ intent: 'accept', note: '\0' }))).status).toBe(303);
    await services().review.acceptTogether(['\0'], 'ada@example.org');
    expect(await services().review.acceptOutcomes(['\0'])).toEqual([]);
    const [head] = exportFor([]).split('\n');
    const row = 'nul\0,2026-11-21 14:00:00 UTC,P2P,USD,$1.00,,,,,,COMPLETE,no\0thing,Zed,';
    const report = await services().payments.import({ text: `${head}\n${row}` }, 'bob');
    expect(report).toMatchObject({ fresh: 1 });
    await server.database.db.delete(payments).where(eq(payments.id, 'nul'));
    expect(await stored()).toEqual(before);
  });

  test('strangers and deactivated accounts see nothing, and a form from another site changes nothing', async () => {
    const gone = await signInReviewer(services(), { email: 'gone@example.org' });
    await deactivateReviewer(server.database, 'gone@example.org');
    const before = await stored();
    const text = exportFor([]).replaceAll('k7d2', 'other');
    for (const stranger of [null, gone.cookie]) {
      const headers: Record<string, string> = stranger === null ? {} : { cookie: stranger };
      const page = await openPage(server, '/review/payments', { headers });
      expect(page.headers.get('location')).toMatch(/^\/review\/sign-in/);
      await openPage(server, '/review/payments', {
        method: 'POST',
        body: upload(text),
        headers: { ...headers, origin: server.url },
      });
      const trpc = trpcOf(server, stranger).review.payments;
      await expectRefused([
        trpc.list.query({}),
        trpc.paidAndWaiting.query(),
        trpc.import.mutate({ text }),
        trpc.accept.mutate({ notes: [farm.note] }),
      ]);
    }
    const foreign = await openPage(server, '/review/payments', {
      method: 'POST',
      body: upload(text),
      headers: { cookie, origin: 'https://elsewhere.example' },
    });
    expect(foreign.status).toBe(403);
    expect(await stored()).toEqual(before);
    const own = trpcOf(server, cookie).review.payments;
    expect((await own.list.query({ matchState: 'differs' })).page.total).toBe(1);
    expect(await own.import.mutate({ text })).toMatchObject({ kind: 'imported', fresh: 5 });
  });
});

describe('a file that is not the payment app’s', () => {
  let server: TestServer;
  let cookie: string;
  beforeAll(async () => {
    server = await startTestServer({ env: { RATE_LIMITS: 'off' } });
    ({ cookie } = await signInReviewer(server.services));
  });
  afterAll(() => server.stop());
  const send = (body: FormData) =>
    openPage(server, '/review/payments?tab=imports', {
      method: 'POST',
      body,
      headers: { cookie, origin: server.url },
    });

  test('is mapped by a person without scripts, keeps the choices after a mistake, and is not stored', async () => {
    const { note } = await registered(server.services, 'garage');
    const text =
      'Buchung;Wer;Zweck;Betrag;Status\r\n' +
      `20.11.2026;"Quux; Zoë";${note};5,00;completed\r\n` +
      `21.11.2026;"Quux; Zoë";${note};5,00;declined\r\n`;
    const first = await send(upload(text));
    expect(first.status).toBe(200);
    expect(first.text).toContain('Choose columns');
    const content = /name="content" value="([^"]*)"/.exec(first.html)?.[1] ?? '';
    const form = new FormData();
    // As a browser sends the value.
    form.set('content', content.replaceAll('&quot;', '"'));
    for (const [name, value] of Object.entries({
      intent: 'map',
      date: '0',
      note: '2',
      id: '',
      currency: '',
      state: '4',
    }))
      form.set(name, value);
    form.set('order', 'dmy');
    form.set('amount', '0');
    const refused = await send(form);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('Choose a different column for each field.');
    expect(refused.html).toMatch(/name="order"[\s\S]*?<option value="dmy" selected="">/);
    expect(await server.database.db.select().from(payments)).toEqual([]);

    form.set('amount', '3');
    const done = await send(form);
    expect(done.text).toMatch(/2 rows: 1 payment \(1 new, 0 known\), 1 not completed/);
    const [row, ...others] = await server.database.db.select().from(payments);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ amountCents: 500, note, paidAt: new Date('2026-11-20T00:00:00Z') });
    expect(server.log()).not.toMatch(/Quux/);
  });

  test('when more is paid than can be accepted at once, the oldest are offered with the total', async () => {
    const names = Array.from({ length: 52 }, (_, n) => `many-${n}`);
    const rows: Registered[] = [];
    for (const name of names) rows.push(await registered(server.services, name));
    const head = exportFor([]).split('\n')[0];
    const paid = rows.map(
      ({ note }, n) => `m${n},2026-11-21 14:00:00 UTC,P2P,USD,$5.00,,,,,,COMPLETE,${note},Zed,`,
    );
    await server.services.payments.import({ text: [head, ...paid].join('\n') }, 'ada@example.org');
    const page = await openPage(server, '/review/payments', { headers: { cookie } });
    expect(page.text).toMatch(/Paid and waiting for review The oldest 50 of 5[23]\. /);
    expect(page.html.match(/name="note" checked=""/g)).toHaveLength(50);
  });

  test('is refused with a remedy when it is too large, empty or not a table', async () => {
    const large = await send(upload(`a,b\n${'x'.repeat(2 * 1024 * 1024)}`));
    expect(large.status).toBe(413);
    expect(large.text).toContain('The file is larger than 2 MB. Export a shorter period.');
    const huge = await send(upload('x'.repeat(6 * 1024 * 1024)));
    expect(huge.text).toContain('The file is larger than 2 MB. Export a shorter period.');
    expect((await send(upload(''))).text).toContain('Choose a file that is not empty.');
    const none = await send(upload('%PDF-1.4\n\0\u0001'));
    expect(none.status).toBe(400);
    expect(none.text).toContain('has no header row');
  });
});
