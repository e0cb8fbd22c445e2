import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { getTableColumns, is } from 'drizzle-orm';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { announce, firstPing, onTheMap } from '#app/features/docs/examples.ts';
import * as schema from '#db/schema/index.ts';
import { LIMITS } from '#server/entry/rate-limits.ts';
import { eventually, getJson, type Json } from './contract/contract.ts';
import { buildAgent } from './agent/agent-process.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { blocksOf, textOf } from './support/printed.ts';
import { sh, startProgram } from './support/shell.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { until } from './support/until.ts';

/** The documentation pages as visitors without scripts get them. The commands on them are run. */

const SECRET = { WEBHOOK_SECRET: 'secret-of-the-docs-test' };
const REFERENCE = ['/docs/mesh', '/docs/computes', '/docs/registry', '/docs/health'];
const PAGES = [
  '/docs',
  '/docs/rest',
  ...REFERENCE,
  '/docs/trpc',
  '/docs/errors',
  '/docs/operators',
  '/docs/identity',
  '/docs/status-pages',
  '/docs/embed',
  '/docs/privacy',
];

let server: TestServer;
/** The server's clock. It stands still, so that data doesn't age while tests compare it. */
const now = Date.now();
const pages = new Map<string, string>();
const page = (path: string) => pages.get(path) ?? '';

beforeAll(async () => {
  server = await startTestServer({ env: SECRET, clock: () => now });
  for (const path of PAGES) {
    const response = await server.get(path);
    expect(response.status).toBe(200);
    pages.set(path, await response.text());
  }
});
afterAll(() => server.stop());

/** The section with this id. */
function section(path: string, id: string): string {
  const from = page(path).indexOf(`<section id="${id}"`);
  expect(from, `section ${id} of ${path}`).toBeGreaterThan(0);
  return page(path).slice(from, page(path).indexOf('</section>', from));
}

function block(path: string, caption: string): string {
  const code = blocksOf(page(path)).find((block) => block.caption === caption)?.code;
  expect(code, `${caption} in ${path}`).toBeDefined();
  return code ?? '';
}

describe('every page', () => {
  test.each(PAGES)('%s has its own title, description and canonical URL', (path) => {
    const html = page(path);
    expect(html.match(/<title>(.+?) · Mesh Registry<\/title>/)?.[1]).toBeTruthy();
    expect(html).toMatch(/<meta name="description" content="[^"]{30,}"/);
    expect(html).toContain(`href="${server.url}${path}"`);
  });

  test('every link between the pages has a target', async () => {
    const ids = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    for (const [path, html] of pages) {
      expect(new Set(ids(html)).size, `ids of ${path} are unique`).toBe(ids(html).length);
      for (const [, href = ''] of html.matchAll(/ href="(\/docs[^"]*|#[^"]*)"/g)) {
        const [target, hash] = href.split('#');
        expect(PAGES).toContain((target || path).replace(/\?.*/, ''));
        if (hash) expect(ids(page(target || path)), `${href} in ${path}`).toContain(hash);
      }
    }
    expect((await server.get('/api/openapi.json')).status).toBe(200);
  });

  test('a link to a section from when the reference was one page leads to it', () => {
    const overview = page('/docs/rest');
    const ids = [
      ...REFERENCE.flatMap((path) => [...page(path).matchAll(/<section id="(\w+)"/g)]),
      ...page('/docs/errors').matchAll(/<div id="(error-\w+)"/g),
    ].map(([, id = '']) => id);
    expect(ids.length).toBeGreaterThan(20);
    for (const id of ids) {
      const from = overview.indexOf(` id="${id}"`);
      expect([id, from > 0]).toEqual([id, true]);
      const [, href] = /href="([^"]+)"/.exec(overview.slice(from)) ?? [];
      expect([id, href]).toEqual([id, expect.stringMatching(new RegExp(`^/docs/\\w+#${id}$`))]);
    }
  });

  test('an area that does not exist is not found', async () => {
    expect((await server.get('/docs/nothing')).status).toBe(404);
  });

  test.each(PAGES)('%s has no inline styles or handlers, which the policy forbids', (path) => {
    expect(page(path)).not.toMatch(/<[^>]+ (style|on\w+)=/);
  });
});

test.each(PAGES)('%s loads at most 120 KB of compressed JavaScript', async (path) => {
  const preloads = page(path).matchAll(/<link rel="modulepreload" href="(\/assets\/[^"]+)"/g);
  const sizes = await Promise.all(
    [...preloads].map(
      async ([, url = '']) => gzipSync(await (await server.get(url)).arrayBuffer()).length,
    ),
  );
  expect(sizes.length).toBeGreaterThan(3);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(120_000);
});

describe('the start', () => {
  test('explains each word where other pages link to', () => {
    for (const id of [
      ...['heartbeat', 'class', 'syncing', 'idle', 'phase', 'public', 'private'],
      ...['backend', 'replica', 'slot', 'genesis', 'region'],
    ])
      expect(page('/docs')).toContain(` id="glossary-${id}"`);
  });

  test('has the figures of the moment', async () => {
    const counts = async () => textOf(await (await server.get('/docs')).text());
    expect(await counts()).toContain('"online": 0,');
    await server.post(
      '/api/mesh/ping',
      { nodeId: 'node_of_the_start', lat: 1, lng: 2 },
      { headers: { authorization: `Bearer ${SECRET.WEBHOOK_SECRET}` } },
    );
    expect(await counts()).toContain('"online": 1,');
    await server.services.mesh.ping({
      nodeId: 'node_of_the_start',
      lat: 1,
      lng: 2,
      status: 'offline',
    });
  });

  test('and the guide say before the first command that a secret is needed', () => {
    for (const path of ['/docs', '/docs/operators']) {
      const text = textOf(page(path));
      const said = text.search(/This network (asks for|has) a secret/);
      expect(said).toBeGreaterThan(0);
      expect(text.indexOf('curl -s -X POST')).toBeGreaterThan(said);
    }
  });
});

describe('the reference shows the whole OpenAPI document:', () => {
  let document: Json;
  let operations: { page: string; path: string; method: string; operation: Json }[];
  beforeAll(async () => {
    document = await getJson(server, '/api/openapi.json');
    operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]) => ({
        page: `/docs/${operation.tags[0].toLowerCase()}`,
        path,
        method,
        operation,
      })),
    );
    expect(operations.length).toBeGreaterThanOrEqual(8);
  });

  /** The path of every field of a schema, found independently of the page's code. */
  function paths(node: Json, at = ''): string[] {
    if (node.$ref) return paths(document.components.schemas[node.$ref.split('/').pop()], at);
    return [
      ...(node.anyOf ?? node.oneOf ?? []).flatMap((one: Json) => paths(one, at)),
      ...(node.items ? paths(node.items, `${at}[]`) : []),
      ...Object.entries<Json>(node.properties ?? {}).flatMap(([key, value]) => {
        const path = at ? `${at}.${key}` : key;
        return [path, ...paths(value, path)];
      }),
    ];
  }
  const fieldsShown = (html: string) =>
    [...html.matchAll(/<dt><code>(.*?)<\/code>/gs)].map(([, name = '']) => textOf(name));

  test('each operation with its method, path, summary, parameters and fields', () => {
    for (const { page, path, method, operation } of operations) {
      const html = section(page, operation.operationId);
      const text = textOf(html);
      expect(text).toContain(`${method.toUpperCase()} ${path}`);
      expect(text).toContain(operation.summary);
      const wanted = [
        ...(operation.parameters ?? []).map(({ name }: Json) => name as string),
        ...[operation.requestBody, ...Object.values<Json>(operation.responses)]
          .filter((body) => body?.content?.['application/json']?.examples === undefined)
          .flatMap((body) => paths(body?.content?.['application/json']?.schema ?? {})),
      ];
      expect(new Set(fieldsShown(html))).toEqual(
        new Set([...wanted, ...fieldsShown(html).filter((name) => name.includes('<key>'))]),
      );
    }
  });

  test('each response with its status, each error with its codes, and a description of every code', () => {
    const errors = section('/docs/errors', 'codes');
    for (const { page, operation } of operations) {
      const html = section(page, operation.operationId);
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        expect(html).toMatch(new RegExp(`<strong>${status}</strong>`));
        const examples = response.content?.['application/json']?.examples ?? {};
        if (Number(status) < 400)
          expect(textOf(html)).toContain(response.description.replaceAll('`', ''));
        for (const [code, { value }] of Object.entries<Json>(examples)) {
          expect(html).toContain(`href="/docs/errors#error-${code}"`);
          const from = errors.indexOf(`id="error-${code}"`);
          expect(textOf(errors.slice(from))).toContain(value.error.replaceAll('`', ''));
        }
      }
    }
    for (const code of document.components.schemas.Error.properties.code.enum)
      expect(textOf(page('/docs/errors'))).toContain(code);
  });

  test('bounds, values, defaults and required fields', () => {
    const text = textOf(section('/docs/computes', 'announce'));
    for (const part of [
      'computes[].replicasrequiredinteger, 0 to 100000',
      'computes[].visibilitystring, one of public private, default private',
      'computesrequiredarray of AnnouncedCompute, 1 to 256 elements',
    ])
      expect(text).toContain(part);
    expect(textOf(section('/docs/mesh', 'getMesh'))).toContain('genesis.latencyMsinteger or null');
  });
});

describe('the guide for operators', () => {
  test('the agent puts a node on the map in three lines, and announces the offer of the guide', async () => {
    const folder = temporaryDirectory();
    onTestFinished(folder.remove);
    const agent = await buildAgent(join(folder.path, 'program'));
    const [init = '', doctor = '', run = '', ...more] = block(
      '/docs/operators',
      'With mesh-agent',
    ).split('\n');
    expect(more).toEqual([]);
    const config = join(folder.path, 'config.toml');
    // What a terminal would ask for.
    const answers = `--node-id my_agent --lat 37.7 --lng -122.4 --secret-stdin`;
    const command = (line: string) =>
      `'${process.execPath}' ${line.replace('mesh-agent', `'${agent}'`)} --config '${config}'`;
    await sh(`printf %s "$WEBHOOK_SECRET" | ${command(init)} ${answers}`, SECRET);
    expect(await sh(command(doctor))).toContain('OK');
    const offer = block('/docs/operators', 'A compute offer in config.toml');
    await writeFile(config, `${await readFile(config, 'utf8')}\n${offer}\n`);
    const peer = block('/docs/operators', 'The peer process in config.toml');
    await writeFile(config, `${await readFile(config, 'utf8')}\n${peer}\n`);
    expect(await sh(command('mesh-agent config check'))).toContain('is valid');
    const program = startProgram('sh', [
      '-euc',
      `exec ${command(run)} --state '${join(folder.path, 'state')}'`,
    ]);
    try {
      await until('It announces the offer', () => program.output().includes('The offer attic'));
      // As in the session that the guide shows; either may come first.
      await until('It is on the map', () => program.output().includes(onTheMap('my_agent')));
      expect(program.output()).toContain(onTheMap('my_agent'));
    } finally {
      await program.end();
    }
    const { peers } = await getJson(server, '/api/mesh');
    expect(peers.find(({ id }: Json) => id === 'my_agent')).toMatchObject({
      lat: 37.5,
      status: 'online',
    });
    const services = ['As a service that starts with the machine', 'As a container'].flatMap(
      (caption) => [...block('/docs/operators', caption).matchAll(/mesh-agent (service \w+)/g)],
    );
    expect(services.length).toBeGreaterThan(1);
    for (const [, service] of services)
      expect(await sh(command(`mesh-agent ${service}`))).toContain('mesh-agent');
    const register = block('/docs/operators', 'With mesh-agent, on the node');
    expect(await sh(command(register.replace('attic', 'agents-attic')))).toContain('MESH-');
  });

  test('its commands carry a credential only if one is configured', () => {
    for (const command of [firstPing, announce])
      expect(command({ origin: '', credential: false })).not.toMatch(
        /authorization|WEBHOOK_SECRET/,
      );
    expect(page('/docs/operators').match(/\$WEBHOOK_SECRET/g)).toHaveLength(4);
  });
});

describe('the guide for status pages', () => {
  test('poll.mjs prints the totals', async () => {
    const program = startProgram(process.execPath, [
      '--input-type=module',
      '-e',
      block('/docs/status-pages', 'poll.mjs'),
    ]);
    try {
      await eventually(() => /^\d+ of \d+ online( \(as of \S+\))?\n/.test(program.output()), true);
    } finally {
      await program.end();
    }
  });

  test('the stream starts as described, for pages of any origin', async () => {
    const program = startProgram('sh', [
      '-euc',
      block('/docs/status-pages', 'On a command line: the first event'),
    ]);
    // `head` exits after six lines, but curl notices only with the next event.
    await eventually(() => /^id: /m.test(program.output()), true);
    await program.end();
    const out = program.output();
    expect(out).toMatch(/^event: connected\ndata: \{.*\}\n/);
    const { type, head, rows, removed } = JSON.parse(out.match(/^data: (\{"type".*)$/m)?.[1] ?? '');
    const { peers, recentPings: _, ...rest } = await getJson(server, '/api/mesh');
    // A snapshot has no order, because clients store rows by id.
    const byId = (list: Json[]) => [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
    expect({ type, removed, rows: byId(rows) }).toEqual({
      type: 'snapshot',
      removed: [],
      rows: byId(peers),
    });
    expect(Object.keys(head)).toEqual(Object.keys(rest));
    expect(out).toMatch(/^id: \S+$/m);

    const stopping = new AbortController();
    for (const stream of ['mesh.changes', 'computes.changes']) {
      const { headers } = await server.get(`/api/trpc/${stream}`, { signal: stopping.signal });
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
    stopping.abort();
  });
});

describe('the privacy page', () => {
  test('lists every table with every field, and no others', () => {
    const tables = Object.values(schema).filter((value) => is(value, PgTable));
    const listed = [...page('/docs/privacy').matchAll(/<section id="table-(\w+)"/g)];
    expect(listed.map(([, name]) => name).sort()).toEqual(
      tables.map((table) => getTableConfig(table).name).sort(),
    );
    for (const table of tables) {
      const { name } = getTableConfig(table);
      const fields = section('/docs/privacy', `table-${name}`).match(
        /Fields<\/dt><dd>(.*?)<\/dd>/,
      )?.[1];
      expect([name, textOf(fields ?? '').split(', ')]).toEqual([
        name,
        Object.keys(getTableColumns(table)),
      ]);
    }
  });

  test('and the footer say of IP addresses what is true: they are used, and never stored, logged or shown', () => {
    expect(textOf(section('/docs/privacy', 'never'))).toContain(
      'They are used, in memory, to enforce rate limits.',
    );
    const text = textOf(page('/docs/privacy'));
    expect(text).toContain('IP addresses are never stored, logged or shown.');
    expect(text).not.toMatch(/never use/i);
  });

  test('states for how long clients are counted', () => {
    expect(LIMITS.credential.seconds).toBe(60);
    expect(LIMITS.node.seconds).toBe(60);
    expect(LIMITS.registration.seconds).toBe(600);
    expect(textOf(section('/docs/privacy', 'memory'))).toContain(
      'wrong credentials (for a minute) and registrations (for ten minutes)',
    );
  });
});
