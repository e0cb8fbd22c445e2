import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  ANNOUNCE_BODY_BYTES,
  PING_BODY_BYTES,
  REGISTER_BODY_BYTES,
} from '@mesh-registry/protocol/values.schema.ts';
import {
  aCompute,
  aPing,
  aStart,
  describeContract,
  eventually,
  expectError,
  freshId,
  getJson,
  postJson,
  raw,
} from './contract.ts';

const PING = '/api/mesh/ping';
const ANNOUNCE = '/api/registry/computes';
const REGISTER = '/api/registry/register';
const JSON_TYPE = { 'content-type': 'application/json' };

/** A body that each POST accepts. */
const validBody: Record<string, () => object> = {
  [PING]: () => aPing(),
  [ANNOUNCE]: () => ({ nodeId: freshId(), computes: [aCompute()] }),
  [REGISTER]: () => aStart(),
};
const POSTS = Object.entries({
  [PING]: PING_BODY_BYTES,
  [ANNOUNCE]: ANNOUNCE_BODY_BYTES,
  [REGISTER]: REGISTER_BODY_BYTES,
});
/** Answers that carry an ETag. */
const TAGGED = ['/api/mesh', PING, ANNOUNCE, REGISTER, '/api/registry', '/api/openapi.json'];
const READ_ONLY = ['/api/mesh', '/api/registry', '/api/openapi.json'];
const OPERATIONS = ['/healthz', '/readyz', '/metrics'];

/** The valid body of a path, padded to exactly this many bytes with an unknown key. */
function bodyOf(path: string, bytes: number): string {
  const empty = JSON.stringify({ ...validBody[path]?.(), pad: '' });
  return `${empty.slice(0, -2)}${'x'.repeat(bytes - Buffer.byteLength(empty))}"}`;
}

const withoutMoment = (body: Buffer) =>
  body.toString().replace(/"updatedAt":"[^"]*"/, '"updatedAt":""');

describeContract('every endpoint', { throughRemix: true }, ({ server, direct, clock }) => {
  const post = (path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
    server.get(path, { method: 'POST', body, headers });

  describe('methods', () => {
    test.each([...READ_ONLY, ...OPERATIONS])(
      '%s answers GET and HEAD, and every other method with 405 and Allow',
      async (path) => {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          const response = await server.get(path, { method });
          expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
          await expectError(server, response, 405, 'method_not_allowed');
        }
      },
    );

    test.each(POSTS)(
      '%s answers GET, HEAD and POST, and every other method with 405 and Allow',
      async (path) => {
        for (const method of ['PUT', 'PATCH', 'DELETE']) {
          const response = await server.get(path, { method });
          expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
          await expectError(server, response, 405, 'method_not_allowed');
        }
      },
    );

    test.each([...TAGGED, ...OPERATIONS])('HEAD %s is GET without the body', async (path) => {
      const get = await raw(server, path);
      const head = await raw(server, path, { method: 'HEAD' });
      expect(head.status).toBe(200);
      expect(head.body.length).toBe(0);
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
      expect(head.headers['cache-control']).toBe(get.headers['cache-control']);
      // The metrics are others each time.
      if (path !== '/metrics')
        expect(head.headers.etag?.replace(/\d+"$/, '')).toBe(
          get.headers.etag?.replace(/\d+"$/, ''),
        );
      if (TAGGED.includes(path))
        expect(head.headers['content-length']).toBe(String(get.body.length));
    });

    test.each([...TAGGED, ...OPERATIONS])('OPTIONS %s lists the methods', async (path) => {
      const response = await server.get(path, {
        method: 'OPTIONS',
        headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' },
      });
      expect(response.status).toBe(204);
      expect(await response.text()).toBe('');
      expect(response.headers.get('allow')).toBe(
        POSTS.some(([post]) => post === path) ? 'GET, HEAD, OPTIONS, POST' : 'GET, HEAD, OPTIONS',
      );
      // No other site may read how the service is doing.
      const open = path === '/metrics' ? null : '*';
      expect(response.headers.get('access-control-allow-origin')).toBe(open);
      expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
    });

    // Only when mounted directly: Remix's router knows no other methods.
    test.runIf(direct)('an unknown method gets 405 too', async () => {
      for (const method of ['PROPFIND', 'MKCOL']) {
        const response = await server.get('/api/mesh', { method });
        await expectError(server, response, 405, 'method_not_allowed');
      }
    });
  });

  describe('unknown paths below /api', () => {
    const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    test.each(['/api/nothing', '/api', '/api/mesh/nothing', '/api/registry/a/b', '/api/%00'])(
      '%s gets 404 as JSON with every method',
      async (path) => {
        for (const method of METHODS)
          await expectError(server, await server.get(path, { method }), 404, 'not_found');
        const head = await raw(server, path, { method: 'HEAD' });
        expect(head.status).toBe(404);
      },
    );

    test('404 comes before any check of the body', async () => {
      await expectError(server, await post('/api/nothing', '{', {}), 404, 'not_found');
      const large = await post('/api/nothing', 'x'.repeat(100_000));
      await expectError(server, large, 404, 'not_found');
    });

    test.runIf(direct)("Remix's own addresses and methods are unknown too", async () => {
      for (const path of [
        '/api/mesh.data',
        '/api/nothing.data',
        '/api/nothing?_data=root',
        '/api/%',
      ])
        await expectError(server, await server.get(path), 404, 'not_found');
      const response = await server.get('/api/nothing', { method: 'PROPFIND' });
      await expectError(server, response, 404, 'not_found');
      expect((await server.get('/api/mesh?_data=routes/api.mesh')).status).toBe(200);
    });
  });

  describe('content types and bodies', () => {
    test.each(POSTS)(
      '%s accepts application/json in any letter case and with parameters',
      async (path) => {
        for (const type of [
          'application/json',
          'application/json; charset=utf-8',
          'application/json;charset=UTF-8',
          'Application/JSON',
        ]) {
          const response = await post(path, JSON.stringify(validBody[path]?.()), {
            'content-type': type,
          });
          expect({ type, ok: response.ok }).toEqual({ type, ok: true });
          expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
        }
      },
    );

    test.each(POSTS)('%s refuses any other content type with 415', async (path) => {
      for (const type of [
        'text/plain',
        'text/json',
        'application/jsonp',
        'application/json-patch+json',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/plain; application/json',
      ]) {
        const response = await post(path, JSON.stringify(validBody[path]?.()), {
          'content-type': type,
        });
        await expectError(server, response, 415, 'unsupported_media_type');
      }
      const none = await raw(server, path, {
        method: 'POST',
        body: JSON.stringify(validBody[path]?.()),
      });
      expect(none.status).toBe(415);
    });

    test.each(POSTS)('%s refuses a compressed body with 415, and says so', async (path) => {
      const body = JSON.stringify(validBody[path]?.());
      for (const encoding of ['gzip', 'br', 'identity, gzip', 'x']) {
        const response = await post(path, body, { ...JSON_TYPE, 'content-encoding': encoding });
        const { error } = await expectError(server, response, 415, 'unsupported_media_type');
        expect(error).toContain('Content-Encoding');
      }
      const plain = await post(path, body, { ...JSON_TYPE, 'content-encoding': 'Identity' });
      expect(plain.status).toBeLessThan(300);
    });

    test.each(POSTS)('%s refuses what is not JSON', async (path) => {
      for (const body of ['', ' ', '{', '{"a":1,}', "{'a':1}", '{"a":NaN}', 'nodeId=a', '\u0000'])
        await expectError(server, await post(path, body), 400, 'invalid_json');
    });

    test.each(POSTS)('%s refuses JSON that is not an object', async (path) => {
      for (const body of ['null', 'true', '7', '"text"', '[]', '[{}]'])
        await expectError(server, await post(path, body), 400, 'invalid_body', ['']);
    });

    test.each(POSTS)('%s accepts %i bytes and refuses one more with 413', async (path, bytes) => {
      const fits = await post(path, bodyOf(path, bytes));
      expect(fits.status).toBeLessThan(300);
      await expectError(
        server,
        await post(path, bodyOf(path, bytes + 1)),
        413,
        'payload_too_large',
      );
    });

    test.each(POSTS)('%s counts the bytes itself if no length is declared', async (path, bytes) => {
      const halves = (body: string) => [body.slice(0, bytes / 2), body.slice(bytes / 2)];
      const options = { method: 'POST', headers: JSON_TYPE };
      const fits = await raw(server, path, { ...options, chunks: halves(bodyOf(path, bytes)) });
      expect(fits.status).toBeLessThan(300);
      const large = await raw(server, path, {
        ...options,
        chunks: halves(bodyOf(path, bytes + 1)),
      });
      expect(large.status).toBe(413);
      expect(JSON.parse(large.body.toString())).toMatchObject({ code: 'payload_too_large' });
    });

    test('a limit counts bytes, not characters', async () => {
      const body = JSON.stringify({ ...aPing(), pad: 'é'.repeat(PING_BODY_BYTES / 2) });
      expect(body.length).toBeLessThan(PING_BODY_BYTES);
      await expectError(server, await post(PING, body), 413, 'payload_too_large');
      const chunked = await raw(server, PING, {
        method: 'POST',
        headers: JSON_TYPE,
        chunks: [body],
      });
      expect(chunked.status).toBe(413);
    });

    test('a character split across two chunks of a body arrives intact', async () => {
      const nodeId = freshId();
      const body = Buffer.from(JSON.stringify(aPing({ nodeId, label: 'Käfer' })));
      const cut = body.indexOf(0xc3) + 1;
      const answer = await raw(server, PING, {
        method: 'POST',
        headers: JSON_TYPE,
        chunks: [body.subarray(0, cut), body.subarray(cut)],
      });
      expect(JSON.parse(answer.body.toString())).toMatchObject({ peer: { label: 'Käfer' } });
    });

    test('a byte order mark is ignored, whether or not a length is declared', async () => {
      const body = Buffer.from(`\uFEFF${JSON.stringify(aPing())}`);
      const options = { method: 'POST', headers: JSON_TYPE };
      const announced = await raw(server, PING, { ...options, body });
      const counted = await raw(server, PING, { ...options, chunks: [body] });
      expect(announced.status).toBeLessThan(300);
      expect(counted.status).toBe(200);
    });

    test.each(POSTS)(
      'a POST to %s is not cached, and other origins cannot read its response',
      async (path) => {
        const response = await server.post(path, validBody[path]?.(), {
          headers: { origin: 'https://elsewhere.example' },
        });
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(response.headers.get('access-control-allow-origin')).toBeNull();
        expect(response.headers.get('x-request-id')).toMatch(/^.{16,}$/);
      },
    );
  });

  describe('order of checks', () => {
    test('method, then size, then content type, then the JSON, then its fields', async () => {
      const large = 'x'.repeat(PING_BODY_BYTES + 1);
      const text = { 'content-type': 'text/plain' };
      await expectError(server, await post('/api/mesh', large, text), 405, 'method_not_allowed');
      await expectError(server, await post(PING, large, text), 413, 'payload_too_large');
      await expectError(server, await post(PING, '{', text), 415, 'unsupported_media_type');
      await expectError(server, await post(PING, '{'), 400, 'invalid_json');
      const fields = ['nodeId', 'lat', 'lng'];
      await expectError(server, await post(PING, '{}'), 400, 'invalid_body', fields);
    });
  });

  describe('reading', () => {
    test.each(TAGGED)('GET %s is public, tagged, and revalidated each time', async (path) => {
      const response = await server.get(path, {
        headers: { origin: 'https://elsewhere.example' },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('vary')?.toLowerCase()).toContain('accept-encoding');
      expect(response.headers.get('etag')).toMatch(/^(W\/)?"[\x21\x23-\x7e]+"$/);
      expect(response.headers.get('x-request-id')).toMatch(/^.{16,}$/);
    });

    test.each(TAGGED)('GET %s needs no credential and ignores any', async (path) => {
      const response = await server.get(path, { headers: { authorization: 'Bearer nonsense' } });
      expect(response.status).toBe(200);
    });

    test.each(TAGGED)('GET %s answers 304 to its own tag, in every form', async (path) => {
      const etag = (await server.get(path)).headers.get('etag') ?? '';
      const opaque = etag.replace(/^W\//, '');
      for (const known of [
        etag,
        opaque,
        `W/${opaque}`,
        '*',
        `"other", ${etag}`,
        `"other",W/"more" , W/${opaque}`,
        `  ${etag}  `,
      ]) {
        const answer = await raw(server, path, { headers: { 'if-none-match': known } });
        expect({ known, status: answer.status }).toEqual({ known, status: 304 });
        expect(answer.body.length).toBe(0);
        expect(answer.headers.etag).toBe(etag);
        expect(answer.headers['cache-control']).toBe('no-cache');
        expect(answer.headers['access-control-allow-origin']).toBe('*');
        // A cache in between must not take it for the answer to every encoding.
        expect(answer.headers.vary?.toLowerCase()).toContain('accept-encoding');
        expect(answer.headers['content-encoding']).toBeUndefined();
      }
      const head = await raw(server, path, {
        method: 'HEAD',
        headers: { 'if-none-match': etag },
      });
      expect(head.status).toBe(304);
    });

    test.each(TAGGED)('GET %s answers 200 to another tag', async (path) => {
      const etag = (await server.get(path)).headers.get('etag') ?? '';
      for (const known of ['"other"', 'W/"other"', '', etag.slice(0, -1), `"x${etag}"`, '"*"'])
        expect((await raw(server, path, { headers: { 'if-none-match': known } })).status).toBe(200);
    });

    test('a tag changes with the content, and a 304 never hides a change', async () => {
      const nodeId = freshId();
      const tag = async () => (await server.get('/api/mesh')).headers.get('etag') ?? '';
      const before = await tag();
      expect(await tag()).toBe(before);
      await postJson(server, PING, aPing({ nodeId }), 201);
      const after = await tag();
      expect(after).not.toBe(before);
      clock.advance(60_001);
      expect(await tag()).not.toBe(after);
      const answer = await server.get('/api/mesh', { headers: { 'if-none-match': after } });
      expect(answer.status).toBe(200);
    });

    test('the same content keeps its tag while time passes', async () => {
      const tag = async () => (await server.get('/api/registry')).headers.get('etag') ?? '';
      clock.advance(10 * 60_000);
      await eventually(async () => (await getJson(server, '/readyz')).degraded, false);
      const before = await tag();
      clock.advance(1200);
      expect(await tag()).toBe(before);
    });

    test('an unknown query parameter is ignored, whatever its name and however often', async () => {
      for (const path of TAGGED)
        for (const query of [
          '?x=1',
          '?x=1&x=2',
          '?__proto__=1&__proto__=2',
          '?constructor',
          '?%',
          '?=&&',
        ])
          expect({ path, query, status: (await server.get(`${path}${query}`)).status }).toEqual({
            path,
            query,
            status: 200,
          });
    });

    test('a known query parameter that is given twice is refused', async () => {
      for (const [path, name] of [
        [`${ANNOUNCE}?available=1&available=1`, 'available'],
        [`${ANNOUNCE}?visibility=all&visibility=public`, 'visibility'],
        [`${REGISTER}?name=garage&name=garage`, 'name'],
        [`${REGISTER}?id=a&id=b`, 'id'],
      ] as const)
        await expectError(server, await server.get(path), 400, 'invalid_query', [name]);
    });
  });

  describe('compression', () => {
    // Enough rows to be worth compressing.
    const fill = async () => {
      for (let n = 0; n < 8; n++) await postJson(server, PING, aPing(), 201);
    };
    const ask = (path: string, accept?: string) =>
      raw(server, path, accept === undefined ? {} : { headers: { 'accept-encoding': accept } });

    test('br or gzip as the client accepts, and always the same content', async () => {
      await fill();
      for (const path of ['/api/mesh', PING, '/api/openapi.json']) {
        const plain = await ask(path);
        expect(plain.headers['content-encoding']).toBeUndefined();
        for (const [accept, encoding] of [
          ['br', 'br'],
          ['gzip', 'gzip'],
          ['gzip, deflate, br', 'br'],
          ['GZIP', 'gzip'],
          ['gzip;q=1.0, br;q=0.5', 'gzip'],
          ['br;q=0, gzip', 'gzip'],
          ['br;q=0.0, gzip;q=0.1', 'gzip'],
          ['gzip;q=0, br', 'br'],
          ['*', 'br'],
          ['br;q=0, *', 'gzip'],
          ['identity', undefined],
          ['br;q=0, gzip;q=0', undefined],
          ['*;q=0', undefined],
          ['deflate, zstd', undefined],
          ['', undefined],
        ] as const) {
          const answer = await ask(path, accept);
          expect({ path, accept, encoding: answer.headers['content-encoding'] }).toEqual({
            path,
            accept,
            encoding,
          });
          expect(answer.headers['content-length']).toBe(String(answer.body.length));
          expect(answer.headers.vary?.toLowerCase()).toContain('accept-encoding');
          const body =
            encoding === 'br'
              ? brotliDecompressSync(answer.body)
              : encoding === 'gzip'
                ? gunzipSync(answer.body)
                : answer.body;
          expect(withoutMoment(body)).toBe(withoutMoment(plain.body));
          if (encoding !== undefined) expect(answer.body.length).toBeLessThan(plain.body.length);
        }
      }
    });

    test('a packed answer shows every ping that was acknowledged before it was asked for', async () => {
      for (let n = 0; n < 10; n++) {
        const nodeId = freshId();
        // Other requests keep the compression busy meanwhile.
        const others = [ask('/api/mesh', 'br'), ask('/api/mesh', 'gzip')];
        await postJson(server, PING, aPing({ nodeId }), 201);
        const [br, gzip] = await Promise.all([ask('/api/mesh', 'br'), ask('/api/mesh', 'gzip')]);
        expect(brotliDecompressSync(br.body).toString()).toContain(nodeId);
        expect(gunzipSync(gzip.body).toString()).toContain(nodeId);
        await Promise.all(others);
      }
    });
  });

  describe('errors', () => {
    test('each answer has a request id of its own, whatever the client sends', async () => {
      const ids = new Set<string | null>();
      for (let n = 0; n < 3; n++) {
        const response = await server.get('/api/nothing', {
          headers: { 'x-request-id': 'mine' },
        });
        ids.add(response.headers.get('x-request-id'));
        await expectError(server, response, 404, 'not_found');
      }
      expect(ids.size).toBe(3);
      expect(ids).not.toContain('mine');
    });

    test('every field at fault is named in one answer, and the sentence names the first', async () => {
      const response = await server.post(PING, {
        nodeId: 'a b',
        lat: '1',
        lng: 181,
        class: 'XL',
      });
      const { error } = await expectError(server, response, 400, 'invalid_body', [
        'nodeId',
        'lat',
        'lng',
        'class',
      ]);
      expect(error).toContain('nodeId');
    });

    test('an error of a read is readable for a page of another origin', async () => {
      for (const path of ['/api/nothing', `${ANNOUNCE}?available=yes`]) {
        const response = await server.get(path);
        expect(response.headers.get('access-control-allow-origin')).toBe('*');
      }
    });
  });
});
