import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { TRPC_ERROR_CODES_BY_NUMBER, type TRPC_ERROR_CODE_NUMBER } from '@trpc/server/rpc';
import { describe, expect, test } from 'vitest';
import { readColumns } from '#server/mesh/place-columns.schema.ts';
import { placeTuple } from '#server/mesh/places.schema.ts';
import type { AppRouter } from '#server/entry/trpc/router.ts';
import type { TestServer } from '../support/server.ts';
import {
  aCompute,
  aPing,
  aStart,
  activeName,
  describeContract,
  freshId,
  getJson,
  postJson,
  sentenceOf,
  type Json,
} from './contract.ts';

/** Traces of a library, a file or a stack. */
const INSIDE =
  /node_modules|\.ts\b|\.js\b|\bat \/|zod|trpc|prisma|drizzle|expected|received|invalid_type/i;

const clientOf = (server: TestServer) =>
  createTRPCClient<AppRouter>({ links: [httpLink({ url: `${server.url}/api/trpc` })] });

/** The status that one of tRPC's own codes stands for. */
const statusOf = (code: TRPC_ERROR_CODE_NUMBER) =>
  getHTTPStatusCodeFromError(new TRPCError({ code: TRPC_ERROR_CODES_BY_NUMBER[code] }));

describeContract('tRPC', {}, ({ server }) => {
  /** The error of a call, and the answer as it came. */
  const failure = async (call: Promise<unknown>): Promise<Json> => {
    const error: unknown = await call.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(error instanceof TRPCClientError)) throw new Error('the call should have failed');
    return error;
  };
  const expectFailure = async (
    call: Promise<unknown>,
    httpStatus: number,
    code: string,
    issues?: string[],
  ) => {
    const { data, message, meta, shape } = await failure(call);
    expect(data).toEqual({
      ok: false,
      code,
      error: expect.stringMatching(sentenceOf(data)),
      ...(issues && {
        issues: issues.map((path) => ({ path, message: expect.any(String) })),
      }),
      requestId: expect.stringMatching(/^.{16,}$/),
      httpStatus,
    });
    expect(message).toBe(data.error);
    expect(meta.response.status).toBe(httpStatus);
    // Clients that know tRPC’s codes only are told the same.
    expect(statusOf(shape.code)).toBe(httpStatus);
    expect(meta.response.headers.get('x-request-id')).toBe(data.requestId);
    const text = JSON.stringify(meta.responseJSON);
    expect({ text, inside: INSIDE.exec(text)?.[0] }).toEqual({ text, inside: undefined });
    expect(server.log()).toContain(data.requestId);
  };

  describe('each public procedure gives the same as its REST path', () => {
    test('mesh.get, computes.list, registry.list, registry.info', async () => {
      const nodeId = freshId();
      const { name } = await activeName(server, { nodeId });
      await postJson(server, '/api/mesh/ping', aPing({ nodeId }), 201);
      const computes = [aCompute({ name }), aCompute()];
      await postJson(server, '/api/registry/computes', { nodeId, computes }, 200);
      const trpc = clientOf(server);
      expect(await trpc.mesh.get.query()).toEqual(await getJson(server, '/api/mesh'));
      expect(await trpc.computes.list.query({})).toEqual(
        await getJson(server, '/api/registry/computes'),
      );
      for (const visibility of ['public', 'private', 'all'] as const)
        for (const available of [true, false])
          expect(await trpc.computes.list.query({ visibility, available })).toEqual(
            await getJson(
              server,
              `/api/registry/computes?visibility=${visibility}&available=${available}`,
            ),
          );
      expect(await trpc.registry.list.query()).toEqual(await getJson(server, '/api/registry'));
      expect(await trpc.registry.info.query()).toEqual(
        await getJson(server, '/api/registry/register'),
      );
    });

    test('mesh.places, matchingPlaces, list, peersAt and node tell of the same nodes', async () => {
      const trpc = clientOf(server);
      // A place of its own, with a region that no other test uses.
      const place = { lat: -48.5, lng: -123.5, region: 'PLACES' };
      const [idle, online, moved] = [freshId('a'), freshId('b'), freshId('c')];
      const label = freshId('label');
      for (const ping of [
        aPing({ nodeId: idle, ...place, status: 'idle', class: 'L', label }),
        aPing({ nodeId: online, ...place, class: 'S' }),
        aPing({ nodeId: moved, ...place, class: 'S' }),
      ])
        await postJson(server, '/api/mesh/ping', ping, 201);
      const counted = async () =>
        readColumns((await trpc.mesh.places.query()).places)
          .filter(({ region }) => region === place.region)
          .map(placeTuple);
      const { lat, lng, region } = place;
      // The answer may be some milliseconds old.
      await expect.poll(counted).toEqual([[lat, lng, region, 2, 0, 0, 0, 0, 0, 0, 0, 1]]);
      await postJson(server, '/api/mesh/ping', aPing({ nodeId: moved, lat: 0, lng: 0 }), 200);
      await expect.poll(counted).toEqual([
        [lat, lng, region, 1, 0, 0, 0, 0, 0, 0, 0, 1],
        [0, 0, region, 1],
      ]);

      const found = await trpc.mesh.list.query({ q: label });
      expect(found).toMatchObject({ page: { total: 1 }, peers: [{ id: idle }] });
      expect(await trpc.mesh.matchingPlaces.query({ q: label })).toEqual([
        [lat, lng, region, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      ]);
      const here = await trpc.mesh.peersAt.query({ lat, lng, region, limit: 1, page: 2 });
      expect(here).toEqual({
        page: { number: 2, total: 2, limit: 1 },
        peers: [await trpc.mesh.node.query({ id: online })],
      });
      expect(await trpc.mesh.peersAt.query({ lat, lng, region, status: ['idle'] })).toMatchObject({
        page: { total: 1 },
        peers: [{ id: idle }],
      });
      expect(await trpc.mesh.node.query({ id: freshId() })).toBeNull();
      expect(await trpc.mesh.summary.query({ id: online })).toMatchObject({
        ...{ id: online, names: [], offers: 0, freeSlots: 0 },
        days: { offline: { length: 30 } },
      });
      expect(await trpc.mesh.summary.query({ id: freshId() })).toMatchObject({ days: null });
      // One class, as earlier clients send it, or several.
      for (const size of ['S', 'L'] as const)
        expect(await trpc.mesh.peersAt.query({ lat, lng, region, class: size })).toEqual(
          await trpc.mesh.peersAt.query({ lat, lng, region, class: [size] }),
        );
      const { peers } = await getJson(server, '/api/mesh');
      expect(peers).toContainEqual(await trpc.mesh.node.query({ id: idle }));
      // Without a filter, all nodes in the order of GET /api/mesh.
      const first = await trpc.mesh.list.query({ limit: 3 });
      expect(first.peers.map(({ id }) => id)).toEqual(peers.slice(0, 3).map(({ id }: Json) => id));
      expect(first.page).toEqual({ number: 1, total: peers.length, limit: 3 });
    });

    test('availability, start, confirm, registration', async () => {
      const trpc = clientOf(server);
      const name = freshId('name');
      for (const asked of [name, 'GENESIS', 'a', ''])
        expect(await trpc.registry.availability.query({ name: asked })).toEqual(
          await getJson(server, `/api/registry/register?name=${asked}`),
        );
      // Only the typed API has alternatives to an unavailable name.
      const taken = freshId('barn');
      await postJson(server, '/api/registry/register', aStart({ name: taken }), 201);
      const alternatives = await trpc.registry.alternatives.query({ name: taken });
      expect(alternatives.length).toBeGreaterThan(0);
      for (const near of alternatives)
        expect(await trpc.registry.availability.query({ name: near })).toMatchObject({
          name: near,
          available: true,
        });
      const { action: _, ...fields } = aStart({ name }) as ReturnType<typeof aStart> & {
        kinds: ('node' | 'compute')[];
      };
      const started = await trpc.registry.start.mutate(fields);
      expect(started).toMatchObject({ ok: true, name, status: 'pending_payment' });
      const rest = () => getJson(server, `/api/registry/register?id=${started.id}`);
      expect(started).toEqual(await rest());
      const confirmed = await trpc.registry.confirm.mutate({ id: started.id, cashConfirm: '#1' });
      expect(confirmed).toEqual(await rest());
      expect(await trpc.registry.registration.query({ id: started.id })).toEqual(confirmed);
    });

    test('an idempotency key is shared with REST', async () => {
      const fields = { name: freshId('name'), nodeId: freshId(), kinds: ['node' as const] };
      const idempotencyKey = freshId('key');
      const trpc = clientOf(server);
      const first = await trpc.registry.start.mutate({ ...fields, idempotencyKey });
      expect(await trpc.registry.start.mutate({ ...fields, idempotencyKey })).toEqual(first);
      const rest = await server.post(
        '/api/registry/register',
        { action: 'start', ...fields },
        { headers: { 'idempotency-key': idempotencyKey } },
      );
      expect(await rest.json()).toEqual(first);
    });
  });

  describe('errors carry our body and the code of tRPC that says the same, and reveal nothing else', () => {
    test('of the service', async () => {
      const trpc = clientOf(server);
      await expectFailure(
        trpc.registry.registration.query({ id: 'reg_0000000000000000000000' }),
        404,
        'not_found',
      );
      const { name } = await activeName(server);
      const start = { nodeId: freshId(), kinds: ['node' as const] };
      await expectFailure(trpc.registry.start.mutate({ ...start, name }), 409, 'name_taken', [
        'name',
      ]);
      await expectFailure(
        trpc.registry.start.mutate({ ...start, name: 'genesis' }),
        409,
        'name_reserved',
        ['name'],
      );
      await expectFailure(
        trpc.registry.start.mutate({ ...start, name: freshId('name'), nodeId: 'Genesis' }),
        400,
        'reserved_node_id',
        ['nodeId'],
      );
    });

    test('of the input', async () => {
      const trpc: Json = clientOf(server);
      await expectFailure(
        trpc.registry.start.mutate({ name: 'a', nodeId: freshId(), kinds: ['x'] }),
        400,
        'invalid_body',
        ['name', 'kinds[0]'],
      );
      await expectFailure(trpc.registry.availability.query({}), 400, 'invalid_body', ['name']);
      await expectFailure(trpc.registry.availability.query(), 400, 'invalid_body', ['']);
      await expectFailure(
        trpc.registry.availability.query({ name: 'x'.repeat(257) }),
        400,
        'invalid_body',
        ['name'],
      );
      await expectFailure(trpc.registry.registration.query([]), 400, 'invalid_body', ['']);
      await expectFailure(trpc.registry.confirm.mutate('x'), 400, 'invalid_body', ['']);
      await expectFailure(trpc.registry.start.mutate(7), 400, 'invalid_body', ['']);
      await expectFailure(trpc.computes.list.query({ available: 'x' }), 400, 'invalid_body', [
        'available',
      ]);
      await expectFailure(trpc.computes.list.query({ visibility: 'x' }), 400, 'invalid_body', [
        'visibility',
      ]);
      await expectFailure(
        trpc.mesh.list.query({ status: 'x', joined: '1y', page: 0, limit: 101 }),
        400,
        'invalid_body',
        ['status', 'joined', 'page', 'limit'],
      );
      await expectFailure(trpc.mesh.peersAt.query({ lat: 91 }), 400, 'invalid_body', [
        'lat',
        'lng',
      ]);
      await expectFailure(trpc.mesh.node.query({ id: '<b>' }), 400, 'invalid_body', ['id']);
    });

    test('of the input, in one sentence that names each missing or invalid field', async () => {
      const trpc: Json = clientOf(server);
      const sentence = async (call: Promise<unknown>) => (await failure(call)).message;
      expect(await sentence(trpc.registry.start.mutate({ kinds: ['node'] }))).toBe(
        'name and nodeId are required.',
      );
      expect(await sentence(trpc.registry.availability.query({}))).toBe('name is required.');
      expect(await sentence(trpc.registry.availability.query())).toBe(
        'The body must be a JSON object.',
      );
      expect((await failure(trpc.registry.confirm.mutate({}))).data.issues).toEqual([
        { path: 'id', message: 'is required' },
      ]);
    });

    test('of an unknown call', async () => {
      const trpc: Json = clientOf(server);
      await expectFailure(trpc.nothing.here.query(), 404, 'not_found');
      await expectFailure(trpc.mesh.get.mutate(), 405, 'method_not_allowed');
      await expectFailure(trpc.registry.start.query({}), 405, 'method_not_allowed');
    });

    const raw = async (path: string, init?: RequestInit) => {
      const response = await server.get(`/api/trpc${path}`, init);
      const text = await response.text();
      return { response, text };
    };
    test.each([
      ['input that is no JSON', '/registry.availability?input={', undefined, 400],
      ['a body that is no JSON', '/registry.start', '{', 400],
      ['no path at all', '/', undefined, 404],
      [
        'a batch of too many calls',
        `/${Array.from({ length: 11 }, () => 'mesh.get').join()}?batch=1`,
        undefined,
        400,
      ],
      ['a stream in a batch', '/mesh.changes?batch=1', undefined, 400],
      ['a body too large', '/registry.start', JSON.stringify({ pad: 'x'.repeat(20_000) }), 413],
    ])('%s', async (_, path, body, status) => {
      const { response, text } = await raw(path, {
        ...(body !== undefined && {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
        }),
      });
      expect({ status: response.status, text }).toMatchObject({ status });
      const json: Json = JSON.parse(text);
      const error = Array.isArray(json) ? json[0].error.data : (json.error?.data ?? json);
      expect(error).toMatchObject({ ok: false, code: expect.any(String) });
      expect(error.requestId).toBe(response.headers.get('x-request-id'));
      expect(/stack|node_modules|\bat \//.exec(text)?.[0]).toBeUndefined();
      expect(server.log()).toContain(error.requestId);
    });

    test('a stream with invalid input', async () => {
      const { response, text } = await raw('/mesh.changes?input={"lastEventId":7}', {
        headers: { accept: 'text/event-stream' },
      });
      expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
      const data = /^event: serialized-error\ndata: (.*)$/m.exec(text)?.[1] ?? '{}';
      expect(JSON.parse(data).data).toMatchObject({
        ok: false,
        code: 'invalid_body',
        issues: [{ path: 'lastEventId', message: 'must be a string' }],
        requestId: response.headers.get('x-request-id'),
      });
      expect(INSIDE.exec(text)?.[0]).toBeUndefined();
    });

    test('another content type gets 415', async () => {
      const { response, text } = await raw('/registry.start', {
        method: 'POST',
        body: 'x',
        headers: { 'content-type': 'text/plain' },
      });
      expect(response.status).toBe(415);
      expect(JSON.parse(text).error.data).toMatchObject({
        ok: false,
        code: 'unsupported_media_type',
        requestId: response.headers.get('x-request-id'),
      });
    });
  });
});
