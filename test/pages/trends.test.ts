import { afterAll, beforeAll, expect, test } from 'vitest';
import { historyDays } from '#db/schema/index.ts';
import { aPing, freshId } from '../contract/contract.ts';
import { DAY, recorded, runUntil } from '../contract/history-time.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openPage } from './page.ts';

const clock = new FakeClock();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' }, clock: clock.read });
});
afterAll(() => server.stop());

/** `2026-11-26`, so many days ago. */
const dayBefore = (days: number) => new Date(clock.now - days * DAY).toISOString().slice(0, 10);

test('with less than two days the page says when the first point comes', async () => {
  const { status, text, html } = await openPage(server, '/trends');
  expect(status).toBe(200);
  expect(text).toContain('The first point comes tonight.');
  expect(html).not.toContain('<figure');
  expect(await (await server.get('/trends.csv')).text()).toMatch(/^day,nodes,online,[^\r]+\r\n$/);
});

test('the charts, the table and the file have the same days, and a day without data is a gap', async () => {
  await server.services.uptime.tick();
  await server.post('/api/mesh/ping', aPing({ nodeId: freshId() }));
  await runUntil(clock, recorded(clock), server);
  // Days before: 4 and 3 nodes, a day on which the service was away, then today.
  for (const [days, online] of [
    [3, 4],
    [2, 3],
  ] as const)
    await server.database.db.insert(historyDays).values({
      ...{ day: dayBefore(days), quarters: 2, online: online * 2, syncing: 0, idle: 0, offline: 2 },
      ...{ joined: 1, left: 2, freeSlots: 14 },
    });
  await server.services.uptime.load();

  const page = await openPage(server, '/trends');
  expect(page.text).toContain('1 node, 4 fewer than 3 days ago');
  expect(page.text).toContain('0% online, 80 points less than 3 days ago');
  // A path ends before the gap and begins after it.
  expect(page.html).toMatch(/ d="M0 [\d.]+L1 [\d.]+M3 [\d.]+h0"/);
  expect(page.text).toContain('Nodes by region');

  const chosen = await openPage(server, `/trends?day=${dayBefore(2)}`);
  expect(chosen.text).toMatch(/ 4 nodes 75\.0% online .*25\.0% offline 7 free slots /);
  const away = await openPage(server, `/trends?day=${dayBefore(1)}`);
  expect(away.text).toContain('Not measured: the service was down.');

  const { text } = await openPage(server, '/trends?view=table');
  expect(text).toMatch(/Free slots \d+ \w+ 2026|Free slots/);
  expect(text).toMatch(/ 4 75\.0% 3 0 0 1 1 2 7 /);

  const file = await server.get('/trends.csv');
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  const lines = (await file.text()).trimEnd().split('\r\n');
  expect(lines).toHaveLength(5);
  // Days of an earlier release, and those without data, have no offers, names, classes and regions.
  expect(lines[1]).toBe(`${dayBefore(3)},5,4,0,0,1,1,2,7,,,,,,`);
  expect(lines[3]).toBe(`${dayBefore(1)},,,,,,,,,,,,,,`);
  expect(lines[4]).toBe(`${dayBefore(0)},1,0,0,0,1,1,0,0,0,0,1,0,0,1`);
  const tag = file.headers.get('etag') ?? '';
  const again = await server.get('/trends.csv', { headers: { 'if-none-match': tag } });
  expect(again.status).toBe(304);
});

test('a year is offered once there are more than 90 days', async () => {
  const links = async () => (await openPage(server, '/trends?days=365')).text;
  expect(await links()).not.toContain('1 year');
  const day = dayBefore(90);
  const none = { syncing: 0, idle: 0, offline: 0, joined: 0, left: 0, freeSlots: 0 };
  await server.database.db.insert(historyDays).values({ day, quarters: 1, online: 2, ...none });
  await server.services.uptime.load();
  expect(await links()).toContain('1 year');
});
