import { expect, test } from 'vitest';
import { PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import { readSearch } from '#server/registry/search.schema.ts';
import {
  aCompute,
  aPing,
  activeName,
  describeContract,
  freshId,
  getJson,
  postJson,
  type Json,
} from './contract.ts';
import { accept, revoke } from '../support/decisions.ts';

const PATH = '/api/registry';

describeContract('GET /api/registry', {}, ({ server, clock }) => {
  const registry = (): Promise<Json> => getJson(server, PATH);
  const entryOf = async (name: string): Promise<Json> =>
    (await registry()).entries.find((entry: Json) => entry.name === name);
  const ping = (nodeId: string, fields: Record<string, unknown> = {}) =>
    server.post('/api/mesh/ping', aPing({ nodeId, ...fields }));
  const announce = (nodeId: string, fields: Record<string, unknown>) =>
    postJson(server, '/api/registry/computes', { nodeId, computes: [aCompute(fields)] }, 200);
  /** The registry and the two other lists at one moment, which must never contradict each other. */
  const consistent = async (): Promise<Json> => {
    const [answer, mesh, directory] = await Promise.all([
      registry(),
      getJson(server, '/api/mesh'),
      getJson(server, '/api/registry/computes'),
    ]);
    const peers = new Map<string, Json>(mesh.peers.map((peer: Json) => [peer.id, peer]));
    const computes = new Map<string, Json>(directory.computes.map((row: Json) => [row.id, row]));
    for (const entry of answer.entries) {
      const peer = entry.kinds.includes('node') ? peers.get(entry.nodeId) : undefined;
      expect(entry.node).toEqual(peer ? { status: peer.status, lastSeen: peer.lastSeen } : null);
      const row = entry.kinds.includes('compute')
        ? computes.get(`${entry.nodeId}:${entry.name}`)
        : undefined;
      expect(entry.compute).toEqual(
        row
          ? {
              status: row.status,
              freeSlots: row.freeSlots,
              replicas: row.replicas,
              lastSeen: row.lastSeen,
            }
          : null,
      );
      const onTheMap = peers.get(entry.nodeId);
      if (onTheMap) {
        const { class: size, region } = onTheMap;
        expect(entry).toMatchObject({ class: size, region });
        if (onTheMap.label !== onTheMap.id) expect(entry.label).toBe(onTheMap.label);
        if (row) expect(row.label).toBe(onTheMap.label);
      }
    }
    const { directory: all } = await getJson(server, '/api/registry/register');
    expect(all).toHaveLength(answer.entries.length);
    for (const { name, label, class: size, region } of answer.entries)
      expect(all).toContainEqual(expect.objectContaining({ name, label, class: size, region }));
    const names = answer.entries.map(({ name }: Json) => name);
    expect(names).toEqual([...names].sort());
    // And everything that the directory lists has an entry.
    for (const { name, nodeId } of directory.computes)
      expect(answer.entries).toContainEqual(expect.objectContaining({ name, nodeId }));
    const count = (of: (entry: Json) => boolean) => answer.entries.filter(of).length;
    expect(answer.count).toBe(answer.entries.length);
    expect(answer.stats).toEqual({
      active: answer.entries.length,
      nodes: count(({ kinds }) => kinds.includes('node')),
      computes: count(({ kinds }) => kinds.includes('compute')),
      nodesOnline: count(({ node }) => node?.status === 'online'),
      computesAvailable: count(({ compute }) => compute?.status === 'available'),
    });
    const { counts } = server.services.registry.search(readSearch(new URLSearchParams()));
    for (const status of PEER_STATUSES)
      expect(counts.status[status]).toBe(
        count(({ nodeId }) => peers.get(nodeId)?.status === status),
      );
    expect(counts.free.free).toBe(count(({ compute }) => compute?.status === 'available'));
    for (const [region, names] of counts.regions)
      expect(names).toBe(count((entry) => entry.region === region));
    expect(counts.regions.map(([region]) => region).sort()).toEqual(
      [...new Set(answer.entries.map(({ region }: Json) => region))].sort(),
    );
    return answer;
  };

  test('an empty registry has every key', async () => {
    expect(await registry()).toEqual({
      ok: true,
      updatedAt: clock.iso(),
      count: 0,
      stats: { active: 0, nodes: 0, computes: 0, nodesOnline: 0, computesAvailable: 0 },
      entries: [],
    });
  });

  test('an entry has exactly these fields', async () => {
    const nodeId = freshId();
    const { name } = await activeName(server, { nodeId, label: 'Attic', class: 'M', region: 'EU' });
    expect(await entryOf(name)).toEqual({
      name,
      label: 'Attic',
      class: 'M',
      region: 'EU',
      nodeId,
      kinds: ['node', 'compute'],
      activatedAt: clock.iso(),
      node: null,
      compute: null,
    });
    await ping(nodeId, { label: 'another label', status: 'syncing' });
    await announce(nodeId, { name, freeSlots: 0, replicas: 3, visibility: 'private' });
    expect(await entryOf(name)).toMatchObject({
      label: 'another label',
      class: 'S',
      region: 'NA',
      node: { status: 'syncing', lastSeen: clock.iso() },
      compute: { status: 'busy', freeSlots: 0, replicas: 3, lastSeen: clock.iso() },
    });
    await consistent();
  });

  test('a name is listed from its acceptance until its revocation', async () => {
    const name = freshId('name');
    const start = { action: 'start', name, nodeId: freshId(), kinds: ['node'] };
    const { id } = await postJson(server, '/api/registry/register', start, 201);
    expect(await entryOf(name)).toBeUndefined();
    await postJson(server, '/api/registry/register', { action: 'confirm', id }, 200);
    expect(await entryOf(name)).toBeUndefined();
    await accept(server.services, { id, reviewer: 'ada' });
    expect(await entryOf(name)).toMatchObject({ name, nodeId: start.nodeId });
    await consistent();
    await revoke(server.services, { id, reviewer: 'ada', reason: 'a test' });
    expect(await entryOf(name)).toBeUndefined();
    await consistent();
    // The next holder of the name gets its own entry.
    const next = await activeName(server, { name, label: 'Next' });
    expect(await entryOf(name)).toMatchObject({ label: 'Next', nodeId: next.nodeId });
  });

  test('while the node is on the map, its heartbeats say label, class and region everywhere', async () => {
    const nodeId = freshId();
    const registered = { label: 'Registered', class: 'M', region: 'NA' };
    const { name } = await activeName(server, { nodeId, ...registered, kinds: ['compute'] });
    await announce(nodeId, { name });
    const { services } = server;
    const found = (text: string) =>
      services.search.find(text).hits.find(({ kind, id }) => kind === 'name' && id === name);
    const search = readSearch(new URLSearchParams({ q: 'attic' }));
    expect(await entryOf(name)).toMatchObject(registered);
    expect(found('registered')).toMatchObject({ detail: 'Registered' });
    expect(services.registry.name(name).registered).toEqual({});

    await ping(nodeId, { label: 'Attic', class: 'L', region: 'NA' });
    await consistent();
    expect(await entryOf(name)).toMatchObject({ label: 'Attic', class: 'L', region: 'NA' });
    expect(found('attic')).toMatchObject({ detail: 'Attic' });
    expect(found('registered')).toBeUndefined();
    expect(services.registry.search(search).entries).toMatchObject([{ name, label: 'Attic' }]);
    // For the pages, where they differ.
    const copies = { label: 'Registered', class: 'M' };
    expect(services.registry.name(name).registered).toEqual(copies);
    expect(services.nodes.details(nodeId).names).toMatchObject([{ name, registered: copies }]);

    const directory = await server.get('/api/registry/register');
    const tag = { 'if-none-match': directory.headers.get('etag') ?? '' };
    const again = () => server.get('/api/registry/register', { headers: tag });
    await ping(nodeId, { status: 'idle' });
    expect((await again()).status).toBe(304);
    await ping(nodeId, { label: 'Cellar' });
    expect((await again()).status).toBe(200);
    await consistent();
    expect(await entryOf(name)).toMatchObject({ label: 'Cellar' });

    // Off the map, what was registered is all that is known.
    await services.nodes.block({ nodeId, reviewer: 'ada', reason: 'a test' });
    await consistent();
    expect(await entryOf(name)).toMatchObject(registered);
    expect(found('registered')).toMatchObject({ detail: 'Registered' });
  });

  test('by uptime, the best nodes come first, and those without one last in both directions', async () => {
    const nodes = [freshId(), freshId(), freshId()];
    const names: string[] = [];
    for (const nodeId of nodes) names.push((await activeName(server, { nodeId })).name);
    const [half, whole, none] = nodes as [string, string, string];
    const uptimes = new Map([
      [half, 0.5],
      [whole, 1],
    ]);
    const { registry: service } = server.services;
    expect([...service.nodesByUptime()]).toEqual(expect.arrayContaining([half, whole, none]));
    const listed = (sort: string) =>
      service
        .search(readSearch(new URLSearchParams({ sort })), undefined, uptimes)
        .entries.map(({ name }) => name)
        .filter((name) => names.includes(name));
    expect(listed('-uptime')).toEqual([names[1], names[0], names[2]]);
    expect(listed('uptime')).toEqual([names[0], names[1], names[2]]);
  });

  test('live parts are shown only for the kinds that were registered', async () => {
    const nodeId = freshId();
    const asNode = await activeName(server, { nodeId, kinds: ['node'] });
    const asCompute = await activeName(server, { nodeId, kinds: ['compute'] });
    await ping(nodeId);
    await announce(nodeId, { name: asNode.name });
    await announce(nodeId, { name: asCompute.name });
    expect(await entryOf(asNode.name)).toMatchObject({ node: { status: 'online' }, compute: null });
    expect(await entryOf(asCompute.name)).toMatchObject({
      node: null,
      compute: { status: 'available' },
    });
    await consistent();
  });

  test("another node's compute offer of the same name is not shown", async () => {
    const { name } = await activeName(server);
    await announce(freshId(), { name });
    expect((await entryOf(name)).compute).toBeNull();
    await consistent();
  });

  test('live parts change with every heartbeat, and age to the millisecond', async () => {
    const nodeId = freshId();
    const { name } = await activeName(server, { nodeId });
    await ping(nodeId);
    await announce(nodeId, { name });
    const states = async () => {
      await consistent();
      const { node, compute } = await entryOf(name);
      return [node.status, compute.status];
    };
    expect(await states()).toEqual(['online', 'available']);
    clock.advance(60_000);
    expect(await states()).toEqual(['online', 'available']);
    clock.advance(1);
    expect(await states()).toEqual(['offline', 'available']);
    clock.advance(239_999);
    expect(await states()).toEqual(['offline', 'available']);
    clock.advance(1);
    expect(await states()).toEqual(['offline', 'offline']);
    await ping(nodeId, { status: 'idle' });
    expect(await states()).toEqual(['idle', 'offline']);
    await announce(nodeId, { name, freeSlots: 0 });
    expect(await states()).toEqual(['idle', 'busy']);
  });

  test('every active name is listed, by name, however many there are', async () => {
    const names = Array.from({ length: 150 }, () => freshId('many'));
    const activate = async (name: string, n: number) => {
      const { nodeId } = await activeName(server, { name, kinds: [n % 2 ? 'node' : 'compute'] });
      if (n % 3 === 0) await ping(nodeId);
      if (n % 5 === 0) await announce(nodeId, { name });
    };
    // All at once, a busy machine would answer some of them with 503.
    for (let n = 0; n < names.length; n += 25)
      await Promise.all(names.slice(n, n + 25).map((name, at) => activate(name, n + at)));
    const { entries } = await consistent();
    const shown = new Set(entries.map(({ name }: Json) => name));
    expect(names.filter((name) => !shown.has(name))).toEqual([]);
  });
});
