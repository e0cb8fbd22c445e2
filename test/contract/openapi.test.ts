import packageJson from '../../package.json' with { type: 'json' };
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { Announce } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { parseConfig } from '#server/config.ts';
import { createOpenApi } from '#server/entry/openapi/document.ts';
import { ERROR_STATUS } from '#server/common/errors.schema.ts';
import { Ping } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { RegisterBody } from '@mesh-registry/protocol/rest/register.schema.ts';
import {
  aCompute,
  aPing,
  aStart,
  activeName,
  describeContract,
  freshId,
  getJson,
  type Json,
} from './contract.ts';
import { reject } from '../support/decisions.ts';

const PING = '/api/mesh/ping';
const ANNOUNCE = '/api/registry/computes';
const REGISTER = '/api/registry/register';
const NODE = '/api/mesh/nodes/{id}';
const KEY = `${NODE}/key`;

/** The whole REST interface, and what operators ask. */
const OPERATIONS = [
  'get /api/mesh',
  'get /api/mesh/history',
  'get /api/mesh/history/places',
  'delete /api/mesh/nodes/{id}',
  'get /api/mesh/nodes/{id}/key',
  'put /api/mesh/nodes/{id}/key',
  'get /api/mesh/nodes/{id}/registrations',
  'post /api/mesh/nodes/{id}/registrations',
  'get /api/mesh/ping',
  'post /api/mesh/ping',
  'get /api/registry',
  'get /api/registry/computes',
  'post /api/registry/computes',
  'get /api/registry/register',
  'post /api/registry/register',
  'get /api/truth',
  'get /healthz',
  'get /readyz',
  'get /metrics',
];

/** How the requests of an operation are authenticated. */
function takenBy(name: string, secretIsRequired: boolean): Json[] {
  const [secret, signature] = [{ webhookSecret: [] }, { nodeSignature: [] }];
  const both = { ...secret, ...signature };
  if ([`post ${PING}`, `post ${ANNOUNCE}`, `delete ${NODE}`].includes(name))
    return secretIsRequired ? [secret, both] : [secret, {}, both, signature];
  if (name === `put ${KEY}`) return secretIsRequired ? [both] : [both, signature];
  return name.endsWith(`${NODE}/registrations`) ? [signature] : [];
}

/** A JSON pointer. */
const pointer = (...keys: string[]) =>
  keys.map((key) => `/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');

/** Every object in a document, with its JSON pointer. */
function* objects(node: Json, at = ''): Generator<[string, Json]> {
  if (typeof node !== 'object' || node === null) return;
  yield [at, node];
  for (const [key, value] of Object.entries(node)) yield* objects(value, at + pointer(key));
}

describeContract('GET /api/openapi.json', {}, ({ server }) => {
  let document: Json;
  let validate: (place: string) => ValidateFunction;
  beforeAll(async () => {
    document = await getJson(server, '/api/openapi.json');
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(document, 'document');
    const known = new Map<string, ValidateFunction>();
    validate = (place) => {
      const found = known.get(place) ?? ajv.compile({ $ref: `document#${place}` });
      known.set(place, found);
      return found;
    };
  });
  const expectValid = (place: string, value: unknown) => {
    const check = validate(place);
    check(value);
    expect({ place, errors: check.errors ?? [] }).toEqual({ place, errors: [] });
  };

  test('is OpenAPI 3.1, with this server’s address', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.servers).toEqual([{ url: server.url }]);
    const named = await fetch(`${server.url}/api/openapi.json`, {
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' },
    });
    expect((await named.json()).servers).toEqual([{ url: server.url }]);
  });

  test('passes a public validator', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(document.info.version).toBe(packageJson.version);
  });

  test('has exactly the paths and methods of the REST interface', () => {
    const found = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(found.sort()).toEqual([...OPERATIONS].sort());
  });

  test('each operation has a name, a summary and response schemas', () => {
    const ids = new Set<string>();
    for (const methods of Object.values<Json>(document.paths))
      for (const operation of Object.values<Json>(methods)) {
        ids.add(operation.operationId);
        expect(operation.summary).toMatch(/\w/);
        for (const [status, response] of Object.entries<Json>(operation.responses)) {
          expect(response.description).toMatch(/\w/);
          if (status !== '304' && status !== '204')
            expect(Object.values<Json>(response.content)[0].schema).toBeDefined();
        }
      }
    expect(ids.size).toBe(OPERATIONS.length);
  });

  test('what nodes send takes the secret, which is optional here, and their signature', () => {
    expect(document.components.securitySchemes).toEqual({
      nodeSignature: { type: 'http', scheme: 'signature', description: expect.any(String) },
      webhookSecret: { type: 'http', scheme: 'bearer', description: expect.any(String) },
    });
    for (const name of OPERATIONS) {
      const [method = '', path = ''] = name.split(' ');
      const { security = document.security } = document.paths[path][method];
      expect({ name, security }).toEqual({ name, security: takenBy(name, false) });
    }
  });

  test('in production, the secret is required', () => {
    const config = { ...parseConfig({}), production: true };
    const { paths } = JSON.parse(createOpenApi(config)('https://x').content.toString());
    for (const name of OPERATIONS) {
      const [method = '', path = ''] = name.split(' ');
      const { security = [] } = paths[path][method];
      expect({ name, security }).toEqual({ name, security: takenBy(name, true) });
    }
  });

  test('texts of requests have their lengths and patterns, and lists say where nothing may repeat', () => {
    const { Ping: ping, Start: start, AnnouncedCompute: offer } = document.components.schemas;
    expect(ping.properties.nodeId).toMatchObject({ minLength: 2, maxLength: 64 });
    expect(ping.properties.label).toMatchObject({ maxLength: 256 });
    expect(ping.properties.region).toMatchObject({ maxLength: 16, pattern: expect.any(String) });
    expect(offer.properties.image).toMatchObject({ maxLength: 255, pattern: expect.any(String) });
    expect(start.properties.kinds).toMatchObject({ maxItems: 2, uniqueItems: true });
    const { parameters } = document.paths[REGISTER].post;
    expect(parameters[0].schema).toMatchObject({ maxLength: 255, pattern: expect.any(String) });
    const unbounded = [...objects(document)].filter(
      ([place, { type, maxLength, enum: values, const: value, pattern }]) =>
        /^\/components\/schemas\/(Ping|Announce|AnnouncedCompute|Start|Confirm|Cancel|Claim|KeyRotation|DsseEnvelope)\/properties/.test(
          place,
        ) &&
        type === 'string' &&
        [maxLength, values, value, pattern].every((bound) => bound === undefined),
    );
    expect(unbounded).toEqual([]);
  });

  test('each operation documents every error that it can give', () => {
    const errors = (method: string, path: string) =>
      Object.entries<Json>(document.paths[path][method].responses)
        .flatMap(([status, { content }]) =>
          Object.keys(content?.['application/json'].examples ?? {}).map((code) => [code, status]),
        )
        .map(([code, status]) => {
          expect(String(ERROR_STATUS[code as keyof typeof ERROR_STATUS])).toBe(status);
          return code;
        })
        .sort();
    const node = [
      'blocked',
      'internal',
      'invalid_body',
      'invalid_json',
      'invalid_request',
      'method_not_allowed',
      'payload_too_large',
      'rate_limited',
      'reserved_node_id',
      'signature_invalid',
      'signature_required',
      'storage_full',
      'unauthorized',
      'unavailable',
      'unsupported_media_type',
    ];
    expect(errors('post', PING)).toEqual([...node, 'invalid_query'].sort());
    expect(errors('put', KEY)).toEqual(
      [...node, 'invalid_state'].filter((code) => code !== 'reserved_node_id').sort(),
    );
    expect(errors('post', ANNOUNCE)).toEqual(node);
    expect(errors('delete', NODE)).toEqual([
      'blocked',
      'internal',
      'invalid_request',
      'invalid_state',
      'method_not_allowed',
      'not_found',
      'rate_limited',
      'signature_invalid',
      'signature_required',
      'storage_full',
      'unauthorized',
      'unavailable',
    ]);
    expect(errors('get', '/api/mesh/history')).toEqual([
      'internal',
      'invalid_query',
      'invalid_request',
      'method_not_allowed',
      'not_found',
      'rate_limited',
      'unavailable',
    ]);
    expect(errors('post', REGISTER)).toEqual(
      [...node, 'invalid_state', 'name_reserved', 'name_taken', 'not_found']
        .filter((code) => !/^(unauthorized|blocked)$/.test(code))
        .sort(),
    );
    expect(errors('get', ANNOUNCE)).toContain('invalid_query');
    // Lists can have large answers, which count as look-ups.
    for (const list of ['/api/mesh', '/api/registry', ANNOUNCE])
      expect(errors('get', list)).toContain('rate_limited');
    for (const code of ['invalid_query', 'not_found', 'unavailable'])
      expect(errors('get', REGISTER)).toContain(code);
  });

  test('every error documents its headers', () => {
    for (const methods of Object.values<Json>(document.paths))
      for (const { responses } of Object.values<Json>(methods))
        for (const [status, name] of [
          ['401', 'WWW-Authenticate'],
          ['405', 'Allow'],
          ['429', 'Retry-After'],
          ['503', 'Retry-After'],
        ] as const)
          if (responses[status]) expect(Object.keys(responses[status].headers)).toContain(name);
  });

  test('every example matches its schema', () => {
    let examples = 0;
    for (const [place, node] of objects(document)) {
      // The content of an example is not a schema.
      if (/\/(example|examples|default|enum|const)(\/|$)/.test(place)) continue;
      if (
        'example' in node &&
        ('$ref' in node || 'type' in node || 'anyOf' in node || 'enum' in node)
      ) {
        expectValid(place, node.example);
        examples++;
      }
      if ('schema' in node && 'example' in node) {
        expectValid(`${place}/schema`, node.example);
        examples++;
      }
      for (const { value } of Object.values<Json>('schema' in node ? (node.examples ?? {}) : {})) {
        expectValid(`${place}/schema`, value);
        examples++;
      }
    }
    expect(examples).toBeGreaterThan(80);
  });

  test('the server accepts every example of a request', async () => {
    const {
      Ping: ping,
      Announce: announce,
      Start: start,
      Confirm: confirm,
    } = document.components.schemas;
    expect(Ping.parse(ping.example)).toEqual(ping.example);
    expect(Announce.parse(announce.example)).toEqual(announce.example);
    expect(RegisterBody.parse(start.example)).toEqual(start.example);
    expect(RegisterBody.parse(confirm.example)).toEqual(confirm.example);
    expect((await server.post(PING, ping.example)).status).toBe(201);
    expect((await server.post(ANNOUNCE, announce.example)).status).toBe(200);
    expect((await server.post(REGISTER, start.example)).status).toBe(201);
    expect((await server.post(REGISTER, confirm.example)).status).toBe(404);
  });

  describe('real answers match the document', () => {
    const ask = async (method: 'get' | 'post', path: string, query = '', body?: unknown) => {
      const response =
        method === 'get' ? await server.get(path + query) : await server.post(path, body);
      const json: Json = await response.json();
      expectValid(
        pointer('paths', path, method, 'responses', String(response.status)) +
          pointer('content', 'application/json', 'schema'),
        json,
      );
      // The document must allow every body that the server accepts.
      if (method === 'post' && response.ok)
        expectValid(
          pointer('paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema'),
          body,
        );
      return { status: response.status, json };
    };

    test('of every operation, on success', async () => {
      const nodeId = freshId();
      const name = freshId('name');
      const ping = aPing({ nodeId, label: 'attic', class: 'M', region: 'EU', status: 'idle' });
      expect((await ask('post', PING, '', ping)).status).toBe(201);
      expect((await ask('post', PING, '', { ...ping, meta: {} })).status).toBe(200);
      await activeName(server, { name, nodeId });
      const computes = [aCompute({ name, image: 'llama:3' }), aCompute()];
      expect((await ask('post', ANNOUNCE, '', { nodeId, label: 'x', computes })).status).toBe(200);
      const started = await ask(
        'post',
        REGISTER,
        '',
        aStart({ name: freshId('NAME').toUpperCase() }),
      );
      expect(started.status).toBe(201);
      const { id } = started.json;
      await ask('post', REGISTER, '', { action: 'confirm', id, cashConfirm: '#1' });
      await reject(server.services, { id, reviewer: 'ada', reason: 'a test' });
      for (const [path, ...queries] of [
        ['/healthz', ''],
        ['/readyz', ''],
        ['/api/mesh', ''],
        ['/api/mesh/history/places', '', '?days=90'],
        ['/api/mesh/history', '', '?days=30', `?node=${nodeId}`, `?node=${nodeId}&days=90`],
        [PING, ''],
        ['/api/registry', ''],
        [ANNOUNCE, '', '?available=1', '?visibility=private'],
        [REGISTER, '', `?name=${name}`, '?name=a', `?id=${id}`],
      ] as const)
        for (const query of queries) expect((await ask('get', path, query)).status).toBe(200);
    });

    test('of every operation, on refusal', async () => {
      for (const [status, ...request] of [
        [400, 'get', ANNOUNCE, '?available=2'],
        [400, 'get', '/api/mesh/history', '?days=2'],
        [400, 'get', '/api/mesh/history/places', '?at=now'],
        [404, 'get', '/api/mesh/history/places', '?at=2026-01-01T00:00:00.000Z'],
        [404, 'get', '/api/mesh/history', '?node=nobody'],
        [400, 'get', REGISTER, '?name=a&id=b'],
        [404, 'get', REGISTER, '?id=reg_0000000000000000000000'],
        [400, 'post', PING, '', {}],
        [400, 'post', PING, '', aPing({ nodeId: 'genesis' })],
        [413, 'post', PING, '', aPing({ pad: 'x'.repeat(5000) })],
        [400, 'post', ANNOUNCE, '', { nodeId: 'ab', computes: [{}] }],
        [413, 'post', ANNOUNCE, '', { pad: 'x'.repeat(70_000) }],
        [400, 'post', REGISTER, '', { action: 'x' }],
        [409, 'post', REGISTER, '', aStart({ name: 'genesis' })],
        [404, 'post', REGISTER, '', { action: 'confirm', id: 'reg_0000000000000000000000' }],
      ] as [number, 'get' | 'post', string, string, unknown][])
        expect([request, (await ask(...request)).status]).toEqual([request, status]);
    });
  });
});

describeContract(
  'PUBLIC_URL',
  { env: { PUBLIC_URL: 'https://mesh.example.org/' } },
  ({ server }) => {
    test('is the server URL in the document', async () => {
      const { servers } = await getJson(server, '/api/openapi.json');
      expect(servers).toEqual([{ url: 'https://mesh.example.org' }]);
    });
  },
);
