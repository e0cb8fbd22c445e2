import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registrationHistory, registrations, reviewActions } from '#db/schema/index.ts';
import { readHistoryQuery } from '#server/audit/history.schema.ts';
import { openPage } from '../pages/page.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { deactivateReviewer, signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { expectRefused, registered, trpcOf } from './support.ts';
import { accept, revoke } from '../support/decisions.ts';

const ada = 'ada@example.org';
const bob = 'bob@example.org';

describe('the history', () => {
  const clock = new FakeClock();
  let server: TestServer;
  let cookie: string;
  beforeAll(async () => {
    server = await startTestServer({
      env: { RATE_LIMITS: 'off' },
      clock: clock.read,
    });
    ({ cookie } = await signInReviewer(server.services, { email: ada }));
    await signInReviewer(server.services, { email: bob });
    // Other tests cover invitations.
    await server.database.db.delete(reviewActions);
  });
  afterAll(() => server.stop());

  const page = (query: string) =>
    server.services.audit.page(readHistoryQuery(new URLSearchParams(query)));
  const events = async (query: string) =>
    (await page(query)).entries.map(({ event, subject }) => `${event} ${subject}`);

  test('has every status change and every action, newest first, with actor and reason', async () => {
    const { registration, names, payments } = server.services;
    const garage = await registered(server.services, 'garage', { nodeId: 'node_Macmini' });
    clock.advance(1000);
    await accept(server.services, { id: garage.id, reviewer: ada });
    clock.advance(1000);
    await revoke(server.services, { id: garage.id, reviewer: bob, reason: '=cmd|x, 100% "sure"' });
    const attic = await registered(server.services, 'attic', { confirmed: false });
    clock.advance(24 * 3_600_000);
    await names.reserve({ name: 'bank', reason: 'looks official', until: '' }, ada);
    clock.advance(25 * 3_600_000);
    await registration.endExpired();
    clock.advance(1000);
    const late = 'Date;Amount;Note\n2026-11-20;5;x';
    const mapping = {
      date: 0,
      order: 'ymd',
      amount: 1,
      note: 2,
      id: null,
      currency: null,
      state: null,
    } as const;
    await payments.import({ text: late, mapping }, bob);

    expect(await events('')).toEqual([
      'payments_imported payments',
      'expired attic',
      'name_reserved bank',
      'revoked garage',
      'started attic',
      'accepted garage',
      'confirmed garage',
      'started garage',
    ]);
    const { entries } = await page('event=revoked');
    expect(entries).toEqual([
      {
        id: `${garage.note}:000000004`,
        at: new Date('2026-07-17T12:00:02.000Z'),
        actor: bob,
        event: 'revoked',
        subject: 'garage',
        note: garage.note,
        nodeId: 'node_Macmini',
        reason: '=cmd|x, 100% "sure"',
      },
    ]);

    // Filters, alone and together.
    expect(await events('q=ATTIC')).toEqual(['expired attic', 'started attic']);
    expect(await events(`q=${attic.note.slice(-6)}`)).toHaveLength(2);
    expect(await events('q=node_macm')).toHaveLength(4);
    expect(await events('q=100%25')).toEqual(['revoked garage']);
    expect(await events('q=%25')).toEqual(['revoked garage']);
    expect(await events('q=official')).toEqual(['name_reserved bank']);
    expect(await events(`actor=${bob}`)).toEqual(['payments_imported payments', 'revoked garage']);
    expect(await events(`actor=${ada}&event=accepted&q=gar`)).toEqual(['accepted garage']);
    expect(await events('from=2026-07-18&until=2026-07-18')).toEqual(['name_reserved bank']);
    expect(await events("q=' or 1=1 --")).toEqual([]);
    // Unknown values count as absent.
    expect((await page('event=nonsense&from=2026-02-31&before=x')).total).toBe(8);
  });

  test('the page names events in plain words and never contains a registration’s id, which is its operator’s secret', async () => {
    const shown = await openPage(server, '/review/history', { headers: { cookie } });
    expect(shown.text).toContain('8 entries');
    expect(shown.text).toMatch(
      /reservation expired attic MESH-attic-\w{6} system payment window passed/,
    );
    expect(shown.text).toMatch(/name reserved bank ada@example.org looks official/);
    expect(shown.html).toContain('href="/review/names?q=bank"');
    const ids = await server.database.db.select({ id: registrations.id }).from(registrations);
    for (const { id } of ids) expect(shown.html).not.toContain(id);
    expect(shown.headers.get('x-robots-tag')).toBe('noindex');
  });

  test('the download has every row that the filter matches, and no text that a spreadsheet runs as a formula', async () => {
    const get = (query: string, headers: Record<string, string> = { cookie }) =>
      server.get(`/review/history.csv${query}`, { headers, redirect: 'manual' });
    const answer = await get('?q=garage');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const lines = (await answer.text()).trim().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe('at,event,subject,note,nodeId,actor,reason');
    expect(lines[1]).toMatch(
      /^2026-07-17T12:00:02.000Z,revoked,garage,MESH-garage-\w{6},node_Macmini,bob@example.org,"'=cmd\|x, 100% ""sure"""$/,
    );
    expect((await get('', {})).status).toBe(401);
    // Never the whole history instead of the month that was asked for.
    const refused = await get('?event=nope&from=11/30/2026&until=');
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('2026-11-20');
  });

  test('the typed API shows strangers and deactivated accounts nothing', async () => {
    const gone = await signInReviewer(server.services, { email: 'gone@example.org' });
    await deactivateReviewer(server.database, 'gone@example.org', clock.now);
    for (const stranger of [null, gone.cookie]) {
      const { page, actors } = trpcOf(server, stranger).review.history;
      await expectRefused([page.query({}), actors.query()]);
    }
    const own = trpcOf(server, cookie).review.history;
    expect((await own.page.query({ event: 'accepted' })).total).toBe(1);
    // Everybody who has or had an account, and the two actors without one.
    expect(await own.actors.query()).toEqual([ada, bob, gone.email, 'operator', 'system']);
  });

  test('paging through 100,000 entries shows each once, and a link to a page keeps showing the same entries', async () => {
    const { db } = server.database;
    // In small statements, so that none exceeds the service's time limit on a slow machine.
    for (let from = 1; from <= 45_000; from += 3000) {
      await db.execute(sql`
          insert into ${registrationHistory} (registration_id, rev, at, actor, from_status, to_status)
          select ${registrations.id}, 100 + n, timestamptz '2025-01-01' + interval '1 s' * (n / 3), 'operator', 'active', 'active'
          from ${registrations}, generate_series(${from}::int, ${from + 2999}::int) as n`);
    }
    await db.execute(sql`
      insert into ${reviewActions} (id, at, actor, action, subject)
      select 'many-' || n, timestamptz '2025-01-01' + interval '1 s' * (n / 3), 'zed@example.org', 'node_blocked', 'node_' || n
      from generate_series(1, 10000) as n`);
    await db.execute(sql`analyze`);
    const seen: string[] = [];
    let cursor: { at: Date; id: string } | null = null;
    let second = '';
    for (let n = 0; n < 20; n++) {
      const before: string = cursor ? `before=${cursor.at.getTime()}_${cursor.id}` : '';
      if (n === 1) second = before;
      const { entries, older, total } = await page(`until=2026-01-01&${before}`);
      expect(total).toBe(100_000);
      seen.push(...entries.map(({ id }) => id));
      cursor = older;
    }
    expect(new Set(seen).size).toBe(1000);

    // "Newer" on the second page leads to the first; new entries don't move the second.
    const there = await page(`until=2026-01-01&${second}`);
    const { newer } = there;
    const back = await page(`until=2026-01-01&after=${newer?.at.getTime()}_${newer?.id}`);
    expect(back.entries.map(({ id }) => id)).toEqual(seen.slice(0, 50));
    expect(back.newer).toBeNull();
    expect(there.entries.map(({ id }) => id)).toEqual(seen.slice(50, 100));

    // The download reads them in several batches.
    const file = await server.get('/review/history.csv?actor=zed@example.org', {
      headers: { cookie },
    });
    const lines = (await file.text()).trim().split('\r\n').slice(1);
    expect(lines).toHaveLength(10_000);
    expect(new Set(lines.map((line) => line.split(',')[2])).size).toBe(10_000);
  });
});
