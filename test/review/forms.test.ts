import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reviewDecisions } from '#db/schema/index.ts';
import { openPage } from '../pages/page.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { registered } from './support.ts';

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' } });
  ({ cookie } = await signInReviewer(server.services));
});
afterAll(() => server.stop());

describe('a form that is sent after the session has ended changes nothing', () => {
  const FORMS: [path: string, fields: Record<string, string>][] = [
    ['/review?index=', { intent: 'accept', note: 'MESH-garage-7K3QFA' }],
    ['/review/registrations/MESH-garage-7K3QFA', { intent: 'accept' }],
    ['/review/names?q=x', { intent: 'reserve', name: 'mine', reason: 'x' }],
    ['/review/nodes', { intent: 'block', nodeId: 'node_1', reason: 'x' }],
    ['/review/nodes?match=x', { intent: 'remove', match: 'x', expected: '1', reason: 'x' }],
    ['/review/payments', { intent: 'map', content: 'a,b', date: '0' }],
    ['/review/reviewers', { intent: 'invite', email: 'eve@example.org', role: 'reviewer' }],
    ['/review/account', { intent: 'rename', name: 'Eve' }],
    ['/review/account/second-factor', { intent: 'begin', password: 'correct horse' }],
  ];
  const send = (path: string, fields: Record<string, string>, accept: string) =>
    openPage(server, path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: server.url, accept },
    });

  test.each(FORMS)('%s', async (path, fields) => {
    // A page with scripts asks for data only, and stays open.
    const dataPath = path.replace(/(?=\?|$)/, '.data');
    const refused = await send(dataPath, fields, '*/*');
    expect(refused.status).toBe(401);
    expect(refused.html).toContain('Your session has ended. Nothing was changed.');
    expect(refused.html).toContain(
      `/review/sign-in?next=${encodeURIComponent(path.replace(/\?.*/, ''))}`,
    );

    // A browser without scripts has left its page. It goes to sign in, where it learns why, and then back.
    const away = await send(path, fields, 'text/html');
    expect(away.status).toBe(303);
    const to = away.headers.get('location') ?? '';
    const back = path.replace('?index=', '');
    expect(to).toBe(`/review/sign-in?next=${encodeURIComponent(back)}&unsent`);
    const page = await openPage(server, to);
    expect(page.text).toContain('Your session has ended, so your last change was not made.');
  });
});

test('a form from another site changes nothing, whatever its URL ends in', async () => {
  const { id, note } = await registered(server.services, 'cellar');
  for (const ending of [note, 'x.csv', 'x.json', 'x.svg', 'x.txt', 'x.xml', 'x%2Fbadge.svg'])
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
    ]) {
      const path = `/review/registrations/${ending}`;
      const refused = await server.get(path, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ intent: 'reject', note, reason: 'x' }),
        headers: { cookie, ...headers },
      });
      expect([path, refused.status]).toEqual([path, 403]);
    }
  expect(await server.database.db.select().from(reviewDecisions)).toEqual([]);
  expect((await server.services.registration.get(id)).status).toBe('pending_review');
});

test('releasing a name leads back to the same page of the same search', async () => {
  await server.services.names.reserve(
    { name: 'bank', reason: 'looks official', until: '' },
    'ada@example.org',
  );
  const gone = await openPage(server, '/review/names?q=official&page=2', {
    method: 'POST',
    body: new URLSearchParams({ intent: 'release', name: 'bank', reason: 'x' }),
    headers: { origin: server.url, cookie },
  });
  expect(gone.headers.get('location')).toBe('/review/names?q=official&page=2');
});

test('pages that do not exist or are not allowed link back to the queue', async () => {
  const show = (path: string) => openPage(server, path, { headers: { cookie } });
  for (const [path, status] of [
    ['/review/nothing', 404],
    ['/review/registrations/MESH-nobody-444444', 404],
    ['/review/reviewers', 403],
  ] as const) {
    const page = await show(path);
    expect(page.status, path).toBe(status);
    expect(page.text).toContain('Go to the queue');
    expect(page.text).toContain('Reserved names');
  }
  const stranger = await openPage(server, '/review/nothing');
  expect(stranger.headers.get('location')).toMatch(/^\/review\/sign-in/);
});

test('a note in other letter case leads to its registration', async () => {
  const { note } = await registered(server.services, 'garage');
  for (const written of [note.toLowerCase(), note.toUpperCase()])
    for (const path of ['/review/registrations/', '/review?open=']) {
      const found = await openPage(server, path + written, { headers: { cookie } });
      expect(found.status).toBe(301);
      expect(found.headers.get('location')).toBe(path + note);
    }
});
