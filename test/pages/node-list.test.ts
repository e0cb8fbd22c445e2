import { createTRPCClient, httpLink } from '@trpc/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mesh, Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { AppRouter } from '#server/entry/trpc/router.ts';
import { AS_JOINED, NO_FILTER, type NodeOrder } from '#server/mesh/mesh-query.schema.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { openPage } from './page.ts';

/** The list of the map as visitors without scripts, spreadsheets and programs get it. */

const clock = new FakeClock();
let server: TestServer;
let peers: Peer[];

const NODES = 130;
const LABELS = ['Attic', 'barn', '+cmd, x', 'Çatı', 'attic'];

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMITS: 'off' }, clock: clock.read });
  for (let n = 0; n < NODES; n++) {
    clock.now += 100;
    await server.services.mesh.ping({
      nodeId: `node_${n}`,
      label: `${LABELS[n % LABELS.length]}`,
      lat: n % 60,
      lng: 10,
      class: (['S', 'M', 'L'] as const)[n % 3],
      region: ['EU', 'AS', 'NA'][(n * 7) % 3],
      status: (['online', 'idle'] as const)[n % 2],
    });
  }
  // The first have sent the newest heartbeats.
  for (let n = 9; n >= 0; n--) {
    clock.now += 100;
    await server.services.mesh.ping({ nodeId: `node_${n}`, lat: n % 60, lng: 10 });
  }
  peers = ((await (await server.get('/api/mesh')).json()) as Mesh).peers;
});
afterAll(() => server.stop());

const idsIn = (html: string) =>
  [...html.matchAll(/<th scope="row".*?href="\/nodes\/(\w+)"/g)].map(([, id]) => id);

const VALUES: Record<string, (peer: Peer) => string | number> = {
  name: ({ label }) => label.toLowerCase(),
  status: ({ status }) => ['online', 'syncing', 'idle', 'offline'].indexOf(status),
  class: (peer) => ['S', 'M', 'L'].indexOf(peer.class),
  region: ({ region }) => region,
  joined: ({ joinedAt }) => joinedAt,
  seen: ({ lastSeen }) => lastSeen,
};

/** Nodes with the same value are in the order in which they joined. */
const inOrder = (rows: Peer[], sort: string, descending: boolean) => {
  const value = VALUES[sort] as (peer: Peer) => string | number;
  return rows
    .map((peer) => ({ peer, value: value(peer) }))
    .sort((a, b) => (descending ? -1 : 1) * (a.value < b.value ? -1 : a.value > b.value ? 1 : 0))
    .map(({ peer }) => peer.id);
};

const ORDERS: [minus: string, sort: string][] = Object.keys(VALUES).flatMap((sort) => [
  ['', sort],
  ['-', sort],
]);

test.each(ORDERS)(
  'sort=%s%s: pages, file and typed API have every node once, in the same order',
  async (minus, sort) => {
    const wanted = inOrder(peers, sort, minus === '-');
    const seen: (string | undefined)[] = [];
    let path = `/?view=list&sort=${minus}${sort}`;
    for (let pages = 0; path && pages < 3; pages++) {
      const { html } = await openPage(server, path);
      const order = minus ? 'descending' : 'ascending';
      expect([...html.matchAll(/aria-sort="(\w+)"/g)].map(([, asked]) => asked)).toEqual([order]);
      seen.push(...idsIn(html));
      path = /<a[^>]*href="([^"]+)"[^>]*>Next</.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    }
    expect(seen).toEqual(wanted);

    const csv = await (await server.get(`/nodes.csv?sort=${minus}${sort}`)).text();
    const ids = csv
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0]);
    expect(ids).toEqual(wanted);

    const trpc = createTRPCClient<AppRouter>({
      links: [httpLink({ url: `${server.url}/api/trpc` })],
    });
    const { peers: listed, page } = await trpc.mesh.list.query({
      ...{ sort: sort as NodeOrder['sort'], descending: minus === '-' },
      ...{ page: 3, limit: 50 },
    });
    expect([listed.map(({ id }) => id), page.total]).toEqual([wanted.slice(100), NODES]);
  },
);

test('each head of a column is a link to the list sorted by it, and the others of the page keep the order', async () => {
  const { html } = await openPage(server, '/?view=list&status=idle&sort=name&page=2');
  const heads = [...html.matchAll(/<th scope="col".*?<\/th>/g)].map(([head]) => [
    head.replace(/<[^>]+>/g, ''),
    /href="([^"]+)"/.exec(head)?.[1]?.replaceAll('&amp;', '&'),
  ]);
  expect(heads).toEqual([
    ['Node', '/?view=list&status=idle&sort=-name'],
    ['Status', '/?view=list&status=idle&sort=status'],
    ['Class', '/?view=list&status=idle&sort=class'],
    ['Region', '/?view=list&status=idle&sort=region'],
    ['Status, class and region', undefined],
    ['Location', undefined],
    ['Joined', '/?view=list&status=idle'],
    ['Last seen', '/?view=list&status=idle&sort=-seen'],
  ]);
  // A filter of the rail, the other views, the file, and the forms, which send what they have fields for.
  expect(html).toContain('href="/?view=list&amp;status=idle&amp;class=S&amp;sort=name"');
  expect(html).toContain('href="/?status=idle&amp;sort=name');
  expect(html).toContain('href="/nodes.csv?status=idle&amp;sort=name"');
  expect(html.match(/<option value="name" selected="">/g)).toHaveLength(1);
  expect(html.match(/<input type="hidden" name="sort" value="name"\/>/g)).toHaveLength(1);
});

test('the file has every field of the API, of the nodes that the filters find, and no address', async () => {
  const response = await server.get('/nodes.csv?q=ATTIC&status=idle&class=S,M&region=EU&page=7');
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="nodes-${new Date(clock.now).toISOString().slice(0, 10)}.csv"`,
    'cache-control': 'no-cache',
    'access-control-allow-origin': '*',
  });
  const text = await response.text();
  const wanted = peers.filter(
    (peer) =>
      peer.label.toLowerCase() === 'attic' &&
      peer.status === 'idle' &&
      peer.class !== 'L' &&
      peer.region === 'EU',
  );
  expect(wanted.length).toBeGreaterThan(3);
  const columns = Object.keys(peers[0] as Peer) as (keyof Peer)[];
  expect(text).toBe(
    [columns, ...wanted.map((peer) => columns.map((column) => peer[column]))]
      .map((fields) => `${fields.join(',')}\r\n`)
      .join(''),
  );
  expect(text).not.toMatch(/\d+\.\d+\.\d+\.\d+|::/);
  expect((await server.post('/nodes.csv', {})).status).toBe(405);
});

test('text that looks like a formula is text to a spreadsheet', async () => {
  const csv = await (await server.get('/nodes.csv?q=cmd')).text();
  expect(csv).toContain(`node_2,"'+cmd, x",`);
});

test('all who ask for an order of a large network within a second share it', async () => {
  const { mesh } = server.services;
  let looked = 0;
  const ask = async (order: NodeOrder, page = 1) => {
    const list = await mesh.listInOrder(NO_FILTER, order, page, 10, () => looked++);
    return list.peers.map(({ id }) => id);
  };
  const byName: NodeOrder = { sort: 'name', descending: false };
  // A small one is always that of now.
  await Promise.all([ask(byName), ask(byName)]);
  expect(looked).toBe(2);
  await Promise.all(
    Array.from({ length: 1000 }, (_, n) => mesh.ping({ nodeId: `many_${n}`, lat: 1, lng: 1 })),
  );
  looked = 0;
  const [first, again, next] = await Promise.all([ask(byName), ask(byName), ask(byName, 2)]);
  expect(looked).toBe(1);
  expect(again).toEqual(first);
  expect(next).not.toEqual(first);
  await ask({ ...byName, descending: true });
  expect(looked).toBe(2);
  clock.now += 1000;
  await ask(byName);
  expect(looked).toBe(3);
  // The plain order looks through nothing.
  const plain = mesh.list(NO_FILTER, 1, 10).peers.map(({ id }) => id);
  expect(await ask(AS_JOINED)).toEqual(plain);
});
