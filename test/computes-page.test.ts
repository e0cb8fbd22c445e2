import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Compute, Computes } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { accept } from './support/decisions.ts';

/** The directory as visitors without scripts, spreadsheets and programs get it. */

const announce = (server: TestServer, nodeId: string, label: string, computes: object[]) =>
  server.post('/api/registry/computes', { nodeId, label, computes });

const html = async (server: TestServer, path: string): Promise<string> => {
  const response = await server.get(path);
  expect(response.status).toBe(200);
  // React marks where two texts meet.
  return (await response.text()).replaceAll('<!-- -->', '');
};
const names = (page: string) =>
  [...page.matchAll(/<th scope="row".*?>([^<]+)<\/a>/g)].map(([, name]) => name);
const attribute = (page: string, link: RegExp) =>
  link.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';

describe('a directory of 250 compute offers', () => {
  let server: TestServer;
  let all: Compute[];
  const api = async () => (await (await server.get('/api/registry/computes')).json()) as Computes;

  beforeAll(async () => {
    server = await startTestServer({
      env: { COMPUTE_LISTING: 'announced' },
      clock: () => Date.UTC(2026, 6, 17, 12),
    });
    await announce(
      server,
      'node_a',
      '+Zürich, 4',
      Array.from({ length: 200 }, (_, at) => ({
        name: `c${String(at).padStart(3, '0')}`,
        image: at % 2 ? 'alpine:3.20' : '-e "quoted", with a comma'.replaceAll('"', "'"),
        visibility: at % 4 ? 'public' : 'private',
        class: ['S', 'M', 'L'][at % 3],
        backend: at % 5 ? 'docker' : 'podman',
        replicas: 4,
        freeSlots: at % 8,
      })),
    );
    await announce(
      server,
      'node_b',
      'attic',
      Array.from({ length: 50 }, (_, at) => ({ name: `d${at}x`, replicas: 1, freeSlots: 0 })),
    );
    all = (await api()).computes;
  });
  afterAll(() => server.stop());

  /** Each query with the rows that it should find. */
  const FILTERS: [search: string, (row: Compute) => boolean][] = [
    ['', () => true],
    ['?status=busy', ({ status }) => status === 'busy'],
    ['?status=available&status=offline', ({ status }) => status !== 'busy'],
    ['?visibility=private&class=S&class=L', (c) => c.visibility === 'private' && c.class !== 'M'],
    ['?backend=podman&free=3', (c) => c.backend === 'podman' && c.freeSlots >= 3],
    ['?q=ALPINE+c01', (c) => c.image.includes('alpine') && c.name.startsWith('c01')],
    ['?q=z%C3%BCrich', ({ nodeId }) => nodeId === 'node_a'],
    ['?q=nothing-like-it', () => false],
    ['?status=sometimes&free=-1&sort=size&page=x', () => true],
  ];

  test.each(FILTERS)(
    '%s: the page, JSON and CSV have the same rows of the API',
    async (search, of) => {
      const wanted = all.filter(of).sort((a, b) => (a.name < b.name ? -1 : 1));
      const page = await html(server, `/computes${search}`);
      expect(names(page)).toEqual(wanted.slice(0, 25).map(({ name }) => name));
      if (wanted.length > 0) expect(page).toContain(`aria-rowcount="${wanted.length + 1}"`);
      expect(page).toContain(
        wanted.length === 250
          ? '<p>250 offers on 2 nodes, '
          : `<p aria-live="polite">${wanted.length} of 250 offers`,
      );

      const json = await server.get(`/computes.json${search}`);
      const body = (await json.json()) as Computes;
      expect(body.computes).toEqual(wanted);
      expect(Object.keys(body)).toEqual(Object.keys(await api()));
      expect(body.stats).toMatchObject({
        total: wanted.length,
        busy: wanted.filter(({ status }) => status === 'busy').length,
        freeSlots: wanted.reduce((sum, { freeSlots }) => sum + freeSlots, 0),
      });

      const csv = await server.get(`/computes.csv${search}`);
      const lines = (await csv.text()).split('\r\n');
      expect(lines.pop()).toBe('');
      expect(lines.shift()).toBe(Object.keys(all[0] ?? {}).join(','));
      expect(lines.map((line) => line.split(',')[1])).toEqual(wanted.map(({ name }) => name));
    },
  );

  test('the count on each filter is how many rows its link shows', async () => {
    const page = await html(server, '/computes?class=S');
    const form = page.slice(page.indexOf('<form', page.indexOf('<main')));
    const chips = [
      ...form.matchAll(/<a[^>]*href="([^"]+)"[^>]*>(?:<svg.*?<\/svg>)?(\w+)<span[^>]*> ([\d,]+)/g),
    ];
    expect(chips.map(([, , value]) => value)).toEqual(['All', 'available', 'busy', 'offline']);
    for (const [, href = '', value, counted] of chips) {
      const led = await html(server, href.replaceAll('&amp;', '&'));
      expect([value, led.includes(`<p aria-live="polite">${counted} of 250 offers`)]).toEqual([
        value,
        true,
      ]);
    }
  });

  test('pages of 25 show every matching row once, in the chosen order', async () => {
    let path = '/computes?visibility=public&sort=-name';
    const seen: (string | undefined)[] = [];
    for (let pages = 0; path && pages < 9; pages++) {
      const page = await html(server, path);
      seen.push(...names(page));
      path = attribute(page, /<a[^>]*href="([^"]+)"[^>]*>Next</);
    }
    const wanted = all.filter(({ visibility }) => visibility === 'public').map(({ name }) => name);
    expect(seen).toEqual(wanted.sort().reverse());
    // A page after the last one shows the last one.
    expect(names(await html(server, '/computes?visibility=public&sort=-name&page=99'))).toEqual(
      seen.slice(-(seen.length % 25 || 25)),
    );
  });

  test('a download is a file named by date, and is not cached', async () => {
    for (const [extension, type] of [
      ['csv', 'text/csv; charset=utf-8; header=present'],
      ['json', 'application/json; charset=utf-8'],
    ]) {
      const response = await server.get(`/computes.${extension}`);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': type,
        'content-disposition': `attachment; filename="computes-2026-07-17.${extension}"`,
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
      });
      const refused = await server.post(`/computes.${extension}`, {});
      expect(refused.status).toBe(405);
    }
  });

  test('text that looks like a formula is text to a spreadsheet', async () => {
    const csv = await (await server.get('/computes.csv?q=c000')).text();
    expect(csv).toContain(`,node_a,"'+Zürich, 4","'-e 'quoted', with a comma",`);
  });

  test('the API call includes all rows of the page, and names the filters that it lacks', async () => {
    const page = await html(server, '/computes?status=available&visibility=public&class=S');
    const [, url] = /curl -s &quot;([^ ]+)&quot;/.exec(page) ?? [];
    expect(url?.replaceAll('&amp;', '&')).toBe(
      `${server.url}/api/registry/computes?available=1&visibility=public`,
    );
    expect(page).toContain('The API has no parameter for class, so it returns more compute offers');
  });

  test('the markup has no inline styles or handlers, which the policy forbids', async () => {
    expect(await html(server, '/computes')).not.toMatch(/<[^>]+ (style|on\w+)=/);
  });
});

test('the page shows a compute offer only once the API lists it', async () => {
  const server = await startTestServer();
  try {
    await announce(server, 'node_a', 'garage', [{ name: 'fire', replicas: 1, freeSlots: 1 }]);
    const page = await html(server, '/computes');
    expect(page).toContain('No compute offers yet');
    expect(names(page)).toEqual([]);
    const start = { action: 'start', name: 'fire', nodeId: 'node_a', kinds: ['compute'] };
    const started = await server.post('/api/registry/register', start);
    const { id } = (await started.json()) as { id: string };
    await server.post('/api/registry/register', { action: 'confirm', id });
    await accept(server.services, { id, reviewer: 'ada' });
    expect(names(await html(server, '/computes'))).toEqual(['fire']);
  } finally {
    await server.stop();
  }
});

test('the command on the empty directory announces a compute offer', async () => {
  const server = await startTestServer({ env: { COMPUTE_LISTING: 'announced' } });
  try {
    const page = await html(server, '/computes');
    const command = page.replaceAll('&quot;', '"').replaceAll('&#x27;', "'");
    expect(command).toContain(`curl -X POST ${server.url}/api/registry/computes`);
    const [, body = ''] = /-d '(\{.*?\})'/.exec(command) ?? [];
    expect((await server.post('/api/registry/computes', JSON.parse(body))).status).toBe(200);
    expect(names(await html(server, '/computes'))).toEqual(['fire']);
  } finally {
    await server.stop();
  }
});
