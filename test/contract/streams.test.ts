import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Change } from '#server/live/index.ts';
import type { TestServer } from '../support/server.ts';
import {
  aCompute,
  aPing,
  aStart,
  activeName,
  describeContract,
  eventually,
  freshId,
  getJson,
  postJson,
  type Json,
} from './contract.ts';
import { Start } from '@mesh-registry/protocol/rest/register.schema.ts';
import { revoke } from '../support/decisions.ts';

type Event = Change<Json, Json>;

/** An event stream, read as a browser's EventSource does. */
class Stream {
  readonly events: Event[] = [];
  ended = false;
  readonly #abort = new AbortController();
  readonly #done: Promise<void>;
  #failure: Error | undefined;

  constructor(server: TestServer, path: string, lastEventId?: string, more: object = {}) {
    const input = encodeURIComponent(JSON.stringify({ ...more, lastEventId }));
    const url = `/api/trpc/${path}?input=${input}`;
    this.#done = this.#read(server, url).finally(() => (this.ended = true));
    this.#done.catch((error: unknown) => (this.#failure = error as Error));
  }

  get lastId(): string | undefined {
    return this.events.at(-1)?.id;
  }

  /** Resolves with the n-th event, counted from 0. */
  async event(n: number): Promise<Event> {
    await eventually(() => {
      if (this.#failure) throw this.#failure;
      return this.events.length > n;
    }, true);
    return this.events[n] as Event;
  }

  /** Like a lost connection. */
  async cut(): Promise<void> {
    this.#abort.abort();
    await this.#done.catch(() => undefined);
  }

  async #read(server: TestServer, url: string): Promise<void> {
    const response = await server.get(url, {
      headers: { accept: 'text/event-stream', 'accept-encoding': 'br, gzip' },
      signal: this.#abort.signal,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    // Compression would hold events back until there are enough bytes.
    expect(response.headers.get('content-encoding')).toBeNull();
    let buffer = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      buffer += decoder.decode(chunk, { stream: true });
      for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
        this.#take(buffer.slice(0, end));
        buffer = buffer.slice(end + 2);
      }
    }
  }

  #take(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }),
    );
    const [id, data] = [fields.get('id'), fields.get('data')];
    if (id === undefined || data === undefined || fields.has('event')) return;
    this.events.push({
      ...(JSON.parse(data) as Omit<Event, 'id'>),
      id,
    });
  }
}

const ids = (rows: Json[]) => rows.map(({ id }) => id as string);

describeContract('event streams', {}, ({ server, clock }) => {
  describe('mesh.nodeChanges', () => {
    const PATH = 'mesh.nodeChanges';
    const details = (event: unknown) => event as Json;

    test('tells of one node only, and nothing to whoever knows it already', async () => {
      const [id, other] = [freshId(), freshId()];
      const { nodes } = server.services;
      const unknown = nodes.detailsTag(nodes.details(id));
      const stream = new Stream(server, PATH, unknown, { id });
      await server.post('/api/mesh/ping', aPing({ nodeId: other }));
      await server.post('/api/mesh/ping', aPing({ nodeId: id, status: 'syncing' }));
      const first = details(await stream.event(0));
      expect(first['peer']).toMatchObject({ id, status: 'syncing' });
      expect(first['id']).toBe(nodes.detailsTag(nodes.details(id)));

      // Who comes back with what is still right gets the next change first.
      await stream.cut();
      const again = new Stream(server, PATH, stream.lastId, { id });
      await server.post('/api/mesh/ping', aPing({ nodeId: id, status: 'idle' }));
      expect(details(await again.event(0))['peer']).toMatchObject({ id, status: 'idle' });
      expect(stream.events).toHaveLength(1);
      await again.cut();
    });

    test('a node that falls silent goes offline on it', async () => {
      const id = freshId();
      await server.post('/api/mesh/ping', aPing({ nodeId: id }));
      const stream = new Stream(server, PATH, undefined, { id });
      expect(details(await stream.event(0))['peer']).toMatchObject({ status: 'online' });
      clock.advance(61_000);
      expect(details(await stream.event(1))['peer']).toMatchObject({ status: 'offline' });
      await stream.cut();
    });
  });

  describe('registry.nameChanges', () => {
    const PATH = 'registry.nameChanges';
    const details = (event: unknown) => event as Json;

    test('tells of one name only: that it is taken, active, and what its node does', async () => {
      const { registration, registry } = server.services;
      const [name, nodeId] = [freshId('name'), freshId()];
      const known = registry.nameTag(registry.name(name));
      const stream = new Stream(server, PATH, known, { name });
      await activeName(server, { nodeId: freshId() });
      await registration.start(Start.parse(aStart({ name, nodeId })));
      expect(details(await stream.event(0))).toMatchObject({ entry: null, taken: true });
      await stream.cut();

      const { name: other } = await activeName(server, { nodeId });
      await server.post('/api/mesh/ping', aPing({ nodeId, status: 'syncing' }));
      const active = new Stream(server, PATH, undefined, { name: other });
      expect(details(await active.event(0))['entry']).toMatchObject({
        node: { status: 'syncing' },
      });
      clock.advance(61_000);
      expect(details(await active.event(1))['entry']).toMatchObject({
        node: { status: 'offline' },
      });
      await active.cut();
    });
  });

  describe('mesh.changes', () => {
    const PATH = 'mesh.changes';
    const ping = (nodeId: string, fields = {}) =>
      server.post('/api/mesh/ping', aPing({ nodeId, ...fields }));

    test('begins with a snapshot equal to GET /api/mesh', async () => {
      await ping(freshId());
      const stream = new Stream(server, PATH);
      const { type, head, rows, removed, id } = await stream.event(0);
      const { peers, recentPings: _, ...rest } = await getJson(server, '/api/mesh');
      expect({ type, removed }).toEqual({ type: 'snapshot', removed: [] });
      expect(head).toEqual(rest);
      expect(rows).toEqual(peers);
      expect(id).toMatch(/./);
      await stream.cut();
    });

    test('a change arrives as the list shows it, with the new totals', async () => {
      const stream = new Stream(server, PATH);
      await stream.event(0);
      const nodeId = freshId();
      await ping(nodeId, { status: 'idle' });
      const change = await stream.event(1);
      const { peers, stats } = await getJson(server, '/api/mesh');
      expect(change).toMatchObject({ type: 'changes', removed: [], head: { stats } });
      expect(change.rows).toEqual(peers.filter(({ id }: Json) => id === nodeId));
      await stream.cut();
    });

    test('there is at most one event a second, and none when nothing changes', async () => {
      const stream = new Stream(server, PATH);
      await stream.event(0);
      const nodes = Array.from({ length: 40 }, () => freshId());
      const startedAt = performance.now();
      for (const nodeId of nodes) {
        await ping(nodeId);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await eventually(
        () => stream.events.flatMap(({ rows }) => ids(rows)).includes(nodes.at(-1) ?? ''),
        true,
      );
      const elapsed = performance.now() - startedAt;
      const changes = stream.events.slice(1);
      expect(changes.length).toBeLessThanOrEqual(Math.ceil(elapsed / 1000) + 1);
      // Each of them once: nothing is lost or repeated.
      const told = changes.flatMap(({ rows }) => ids(rows)).filter((id) => nodes.includes(id));
      expect(told.sort()).toEqual([...nodes].sort());
      const silent = stream.events.length;
      // The same ticker serves the other list, which changes twice meanwhile.
      const computes = new Stream(server, 'computes.changes');
      const [nodeId] = nodes;
      const { name } = await activeName(server, { nodeId });
      await computes.event(0);
      for (const n of [1, 2]) {
        const announced = { nodeId, computes: [aCompute({ name, freeSlots: n })] };
        await postJson(server, '/api/registry/computes', announced, 200);
        await computes.event(n);
      }
      expect(stream.events).toHaveLength(silent);
      await Promise.all([stream.cut(), computes.cut()]);
    });

    test('a peer that goes offline is a change, at its moment', async () => {
      const nodeId = freshId();
      clock.advance(60_001);
      await ping(nodeId);
      const stream = new Stream(server, PATH);
      await stream.event(0);
      clock.advance(60_000);
      const told = () => stream.events.slice(1).flatMap(({ rows }) => rows);
      // What changed before this heartbeat comes no later than it.
      const other = freshId();
      await ping(other);
      await eventually(() => ids(told()).includes(other), true);
      expect(told().filter(({ id }) => id === nodeId)).toEqual([]);
      clock.advance(1);
      await eventually(() => told().find(({ id }) => id === nodeId)?.status as unknown, 'offline');
      expect(stream.events.at(-1)?.head.stats.online).toBe(1);
      await stream.cut();
    });

    test('after a disconnect, the last id brings exactly the missed changes', async () => {
      const [changed, silent, before] = [freshId(), freshId(), freshId()];
      clock.advance(60_001);
      for (const nodeId of [changed, silent, before]) await ping(nodeId);
      const stream = new Stream(server, PATH);
      await stream.event(0);
      await ping(before, { status: 'idle' });
      await stream.event(1);
      const { lastId } = stream;
      await stream.cut();

      // Meanwhile one peer joins, one changes, and two go offline.
      const joined = freshId();
      clock.advance(30_000);
      await ping(changed, { status: 'syncing' });
      await ping(joined);
      clock.advance(30_001);

      const resumed = new Stream(server, PATH, lastId);
      const change = await resumed.event(0);
      expect(change.type).toBe('changes');
      const statuses = Object.fromEntries(
        change.rows.map(({ id, status }) => [id, status as string]),
      );
      expect(statuses).toEqual({
        [changed]: 'syncing',
        [joined]: 'online',
        [silent]: 'offline',
        [before]: 'offline',
      });
      const { stats } = await getJson(server, '/api/mesh');
      expect(change.head.stats).toEqual(stats);
      await resumed.cut();
    });

    test('a client that keeps reconnecting ends with the same list as one that stays connected', async () => {
      const list = new Map<string, Json>();
      const take = (events: Event[]) => {
        for (const { type, rows, removed } of events) {
          if (type === 'snapshot') list.clear();
          for (const row of rows) list.set(row.id, row);
          for (const id of removed) list.delete(id);
        }
      };
      let lastId: string | undefined;
      const nodes = Array.from({ length: 6 }, () => freshId());
      for (let round = 0; round < 4; round++) {
        const stream = new Stream(server, PATH, lastId);
        if (round === 0) await stream.event(0);
        // Pings continue before, during and after the disconnect.
        const pings = nodes.map((nodeId) => ping(nodeId, { lat: round, region: `R${round}` }));
        await new Promise((resolve) => setTimeout(resolve, 60 * round));
        await stream.cut();
        take(stream.events);
        lastId = stream.lastId ?? lastId;
        await Promise.all(pings);
        clock.advance(25_000);
      }
      // Makes sure that there is something left to send.
      await ping(freshId());
      const last = new Stream(server, PATH, lastId);
      await last.event(0);
      await last.cut();
      take(last.events);
      const { peers } = await getJson(server, '/api/mesh');
      expect([...list.values()].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
        [...peers].sort((a: Json, b: Json) => (a.id < b.id ? -1 : 1)),
      );
    });

    test('an id of another server, or a made-up one, gets a snapshot', async () => {
      const stream = new Stream(server, PATH);
      const { id } = await stream.event(0);
      await stream.cut();
      const [own, version, ...rest] = id.split('.');
      for (const lastEventId of [
        'nonsense',
        '',
        ['abcdefabcdef', version, ...rest].join('.'),
        [own, '999999999', ...rest].join('.'),
        '__proto__.1.1.',
        'x'.repeat(200),
      ]) {
        const other = new Stream(server, PATH, lastEventId);
        expect([lastEventId, (await other.event(0)).type]).toEqual([lastEventId, 'snapshot']);
        await other.cut();
      }
    });

    test('a Last-Event-ID header, as EventSource sends it, works like the input', async () => {
      const stream = new Stream(server, PATH);
      const { id } = await stream.event(0);
      await stream.cut();
      const nodeId = freshId();
      await ping(nodeId);
      const abort = new AbortController();
      const response = await server.get(`/api/trpc/${PATH}?input=%7B%7D`, {
        headers: { accept: 'text/event-stream', 'last-event-id': id },
        signal: abort.signal,
      });
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true });
        if (text.includes(nodeId)) break;
      }
      abort.abort();
      expect(text).toContain('"type":"changes"');
      expect(text).not.toContain('"type":"snapshot"');
    });

    test('the server ends its side when the client leaves', async () => {
      const { mesh } = server.services;
      const { changes } = mesh;
      let open = 0;
      // Observes the stream that tRPC reads, without changing it.
      mesh.changes = (...args) => {
        const stream = changes(...args);
        open++;
        return (async function* () {
          try {
            yield* stream;
          } finally {
            open--;
          }
        })();
      };
      try {
        const streams = Array.from({ length: 5 }, () => new Stream(server, PATH));
        for (const stream of streams) await stream.event(0);
        expect(open).toBe(5);
        for (const stream of streams.slice(0, 3)) await stream.cut();
        await eventually(() => open, 2);
        for (const stream of streams) await stream.cut();
        await eventually(() => open, 0);
      } finally {
        mesh.changes = changes;
      }
    });
  });

  describe('computes.changes', () => {
    const PATH = 'computes.changes';
    const announce = (nodeId: string, ...computes: object[]) =>
      postJson(server, '/api/registry/computes', { nodeId, computes }, 200);

    test('begins with a snapshot equal to GET /api/registry/computes', async () => {
      // Earlier tests moved the clock, which looks like a silent database until its next answer.
      await eventually(async () => (await getJson(server, '/readyz')).degraded as boolean, false);
      const nodeId = freshId();
      const { name } = await activeName(server, { nodeId });
      await announce(nodeId, aCompute({ name }), aCompute());
      const stream = new Stream(server, PATH);
      const { type, head, rows } = await stream.event(0);
      const { computes, ...rest } = await getJson(server, '/api/registry/computes');
      expect({ type, head, rows }).toEqual({ type: 'snapshot', head: rest, rows: computes });
      await stream.cut();
    });

    test('sends announcements, activations, revocations and the effects of time', async () => {
      const nodeId = freshId();
      const stream = new Stream(server, PATH);
      await stream.event(0);
      const name = freshId('comp');
      // Not listed, so not sent.
      await announce(nodeId, aCompute({ name }));
      const { id } = await activeName(server, { name, nodeId });
      const activated = await stream.event(1);
      expect(activated.rows).toMatchObject([{ name, status: 'available' }]);
      await announce(nodeId, aCompute({ name, freeSlots: 0 }));
      expect((await stream.event(2)).rows).toMatchObject([{ name, status: 'busy' }]);
      clock.advance(300_001);
      const aged = (await stream.event(3)).rows;
      expect(aged.find((row) => row.name === name)).toMatchObject({ status: 'offline' });
      await revoke(server.services, { id, reviewer: 'ada', reason: 'a test' });
      const revoked = await stream.event(4);
      expect(revoked).toMatchObject({ rows: [], removed: [`${nodeId}:${name}`] });
      await stream.cut();
    });

    test('after a disconnect, the last id brings what was listed and removed meanwhile', async () => {
      const nodeId = freshId();
      const [gone, come] = [freshId('comp'), freshId('comp')];
      const { id } = await activeName(server, { name: gone, nodeId });
      await announce(nodeId, aCompute({ name: gone }), aCompute({ name: come }));
      const stream = new Stream(server, PATH);
      const { rows } = await stream.event(0);
      expect(ids(rows)).toContain(`${nodeId}:${gone}`);
      const { lastId } = stream;
      await stream.cut();
      await revoke(server.services, { id, reviewer: 'ada', reason: 'a test' });
      await activeName(server, { name: come, nodeId });
      const resumed = new Stream(server, PATH, lastId);
      const change = await resumed.event(0);
      expect({ type: change.type, rows: ids(change.rows), removed: change.removed }).toEqual({
        type: 'changes',
        rows: [`${nodeId}:${come}`],
        removed: [`${nodeId}:${gone}`],
      });
      await resumed.cut();
    });
  });

  test('open streams end when the server stops, and the stop is fast', async () => {
    const streams = [
      new Stream(server, 'mesh.changes'),
      new Stream(server, 'mesh.changes'),
      new Stream(server, 'computes.changes'),
    ];
    for (const stream of streams) await stream.event(0);
    // Opened ahead, as browsers do, with no request on it.
    const { hostname, port } = new URL(server.url);
    const ahead = connect(Number(port), hostname);
    await once(ahead, 'connect');
    const startedAt = performance.now();
    const stopped = server.stop();
    await stopped;
    // Waiting for clients would take 10 s.
    expect(performance.now() - startedAt).toBeLessThan(9000);
    await eventually(() => streams.every(({ ended }) => ended), true);
    ahead.destroy();
  });
});
