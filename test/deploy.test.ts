import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metricsText } from '@mesh-registry/agent/peer/metrics.ts';
import { aSession, aStatus } from './support/peer-status.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { until } from './support/until.ts';

/** The files under deploy/ name things that exist. What proxies and tools say of them is tried by hand. */

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const files = readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1));

describe('every metric named in', () => {
  const directory = temporaryDirectory();
  let server: TestServer;
  const samples = new Map<string, Set<string>>();
  let texts: string[];
  beforeAll(async () => {
    server = await startTestServer({ env: { DATA_DIR: directory.path } });
    await server.post('/api/mesh/ping', { nodeId: 'node_a', lat: 1, lng: 2 });
    const status = aStatus({ sessions: [aSession('a')] });
    let own = '';
    await until('garbage has been collected', async () => {
      own = await (await server.get('/metrics')).text();
      return own.includes('nodejs_gc_duration_seconds_sum');
    });
    texts = [own, await metricsText(status, 1)];
    for (const line of texts.join('').split('\n')) {
      const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
      if (name === undefined) continue;
      const known = samples.get(name) ?? new Set();
      for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
      samples.set(name, known);
    }
  });
  afterAll(async () => {
    await server.stop();
    directory.remove();
  });

  test('a metric is written as Prometheus’s linter wants it', () => {
    expect(texts.map(metricProblems)).toEqual([[], []]);
    // What it finds.
    const wrong = [
      '# HELP a_total Help.\n# TYPE a_total gauge\na_total 1',
      '# HELP b Help.\n# TYPE b counter\nb 1',
      '# TYPE c gauge\nc 1',
      '# HELP d_ms Help.\n# TYPE d_ms gauge\nd_ms 1',
      '# HELP e Help.\n# TYPE e gauge\ne{nodeId="x"} 1',
      '# HELP f Help.\n# TYPE f gauge\nf_count 1',
      '# HELP h Help.\n# TYPE h gauge\nh{quantile="1"} 1',
      '# HELP g Help.\n# TYPE g gauge\ng one',
    ];
    for (const text of wrong) expect(metricProblems(`${text}\n`), text).toHaveLength(1);
  });

  /** Prometheus adds these to every sample. */
  const ADDED = ['instance', 'job'];

  // Prometheus's own configuration names none.
  const naming = files.filter((file) => /(prometheus|grafana)\/(?!prometheus\.yaml)/.test(file));
  test.each(naming)('%s exists, with its labels', (file) => {
    const text = read(file).replaceAll('\\"', '"');
    const named = [...text.matchAll(/\b((?:mesh|nodejs|process)_\w+)(?:\{([^{}]*)\})?/g)];
    expect(named.length).toBeGreaterThan(4);
    for (const [, name = '', selector = ''] of named) {
      expect([...samples.keys()], file).toContain(name);
      for (const [, label = ''] of selector.matchAll(/(\w+) *[=!]~?"/g))
        expect([...(samples.get(name) ?? []), ...ADDED], `${name} in ${file}`).toContain(label);
    }
  });
});

test('every variable set in deploy/ is one of the configuration', () => {
  const configuration = read('docs/configuration.md');
  const others = [
    'NODE_ENV',
    'POSTGRES_USER',
    'POSTGRES_DB',
    'POSTGRES_PASSWORD',
    // What a unit gives to a command.
    'REGISTRY_LOG_ARGS',
  ];
  const found = files
    .filter((file) => /systemd|compose|Containerfile/.test(file))
    .flatMap((file) => [
      ...read(file).matchAll(/^(?:Environment=|ENV |#| {4,6})?([A-Z][A-Z_]+)[=:]/gm),
    ])
    .map(([, name = '']) => name);
  expect(found.length).toBeGreaterThan(15);
  for (const name of found)
    if (!others.includes(name)) expect(configuration).toContain(`| \`${name}\``);
});

test('the programs that deploy/ runs are built', () => {
  const built = [...read('scripts/build.mjs').matchAll(/^ {4}'?([\w-]+)'?: 'server\//gm)].map(
    ([, name]) => `build/${name}.js`,
  );
  const run = files.flatMap((file) => read(file).match(/build\/[\w-]+\.js/g) ?? []);
  expect(run.length).toBeGreaterThan(3);
  for (const program of run) expect(built).toContain(program);
});

test('the image has the modules that the service needs, and none that only a bundle contains', () => {
  interface Locked {
    dev?: boolean;
    link?: boolean;
    dependencies?: Record<string, string>;
    optionalDependencies?: Record<string, string>;
    peerDependencies?: Record<string, string>;
  }
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, Locked>;
  };
  /** Where Node finds a module, from the folder of another one. */
  const found = (folder: string, name: string): string | undefined => {
    const path = join(folder, 'node_modules', name);
    if (path in packages) return path;
    return folder === ''
      ? undefined
      : found(folder.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, ''), name);
  };
  const needed = new Set(['']);
  for (const folder of needed) {
    const { dependencies, optionalDependencies, peerDependencies } = packages[folder] ?? {};
    const names = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    for (const name of Object.keys(names)) {
      const path = found(folder, name);
      if (path !== undefined) needed.add(path);
    }
  }
  needed.delete('');
  // `npm prune --omit=dev`, as the Containerfile has it. The links to packages/ are removed after it.
  const kept = Object.keys(packages).filter(
    (path) => /^node_modules\//.test(path) && !packages[path]?.dev && !packages[path]?.link,
  );
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.sort()).toEqual([...needed].sort());
  expect(kept).not.toContain('node_modules/libp2p');
  expect(read('deploy/Containerfile')).toContain(
    'npm prune --omit=dev && rm -r node_modules/@mesh-registry',
  );
  for (const folder of readdirSync(join(root, 'packages')))
    expect(read('deploy/Containerfile')).toContain(
      `COPY packages/${folder}/package.json packages/${folder}/`,
    );
});

test('paths that only operators may see are hidden by every proxy', () => {
  for (const file of ['deploy/haproxy.cfg', 'deploy/nginx.conf', 'deploy/Caddyfile'])
    for (const path of ['metrics', 'readyz']) expect(read(file), file).toContain(path);
});

test('every proxy counts a /64 network of IPv6 as one client', () => {
  expect(read('deploy/haproxy.cfg')).toContain('track-sc0 src,ipmask(32,64)');
  for (const file of ['deploy/nginx.conf', 'deploy/genesis/nginx.conf']) {
    expect(read(file), file).not.toContain('binary_remote_addr');
    const network = new RegExp(/"~(.+)" \$mesh_network;/.exec(read(file))?.[1] ?? '');
    const clients = (addresses: string[]) =>
      addresses.map((address) => network.exec(address)?.groups?.['mesh_network'] ?? address);
    expect(clients(['203.0.113.7', '::1', '2001:db8:1:2::9', '2001:db8:1:2:3:4:5:6'])).toEqual([
      '203.0.113.7',
      '::1',
      '2001:db8:1:2:',
      '2001:db8:1:2:',
    ]);
    // The last groups of the network are zeros.
    expect(clients(['2001:db8:1::9', '2001:db8:1::7:8:9', '2001:db8::9'])).toEqual([
      '2001:db8:1:',
      '2001:db8:1:',
      '2001:db8:',
    ]);
  }
});

test('every proxy tells browsers to come by https only, once in each response', () => {
  const header = /Strict-Transport-Security "?max-age=63072000"?/g;
  // nginx drops the headers of a server in a location that adds one of its own.
  for (const [file, times] of [
    ['deploy/haproxy.cfg', 1],
    ['deploy/nginx.conf', 2],
    ['deploy/Caddyfile', 1],
  ] as const)
    expect([...read(file).matchAll(header)], file).toHaveLength(times);
  expect(read('deploy/nginx.conf')).toContain('proxy_hide_header Strict-Transport-Security');
});

test('the proxies before a Genesis host pass its health and its truth, and nothing else', () => {
  for (const file of ['deploy/genesis/nginx.conf', 'deploy/genesis/Caddyfile']) {
    const text = read(file).replace(/^\s*#.*$/gm, '');
    for (const path of ['/health', '/truth']) expect(text, file).toContain(path);
    expect(text, file).not.toContain('/metrics');
    expect(text, file).toMatch(/(return|respond) 404/);
    // Where README of the agent has the health port.
    expect(text, file).toContain('127.0.0.1:9901');
    expect(read('packages/agent/README.md')).toContain('127.0.0.1:9901');
  }
});

/** Units that Prometheus doesn't want: it has seconds and bytes, in full. */
const OTHER_UNITS =
  /_(?:ms|millis|milliseconds|us|micros|microseconds|ns|nanoseconds|sec|secs|minutes|hours|days|kb|kilobytes|mb|megabytes|gb|gigabytes|bits|percent)(?:_|$)/;

/** What `promtool check metrics` would refuse or complain about in a text of metrics, by the rules that we rely on. */
function metricProblems(text: string): string[] {
  const problems: string[] = [];
  const types = new Map<string, string>();
  const helped = new Set<string>();
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.split('\n')) {
    const [, kind, about = '', said = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') helped.add(about);
    if (kind === 'TYPE') {
      if (types.has(about)) problems.push(`${about}: has two types`);
      types.set(about, said);
    }
    if (kind !== undefined || line === '') continue;
    const [, name, labels = '', value] =
      /^([a-z][a-z0-9_]*)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*)\})? (\S+)$/.exec(line) ?? [];
    if (
      name === undefined ||
      (!/^(?:nan|[+-]?inf)$/i.test(value ?? '') && Number.isNaN(Number(value)))
    )
      problems.push(`cannot be read: ${line}`);
    else if (types.has(name)) {
      if (/(?:^|,)(?:le|quantile)="/.test(labels))
        problems.push(`${name}: le and quantile are for parts of others`);
    } else {
      const whole = name.replace(/_(?:sum|count|bucket)$/, '');
      if (!['histogram', 'summary'].includes(types.get(whole) ?? ''))
        problems.push(`${name}: has no type`);
      else if (name.endsWith('_bucket') !== /(?:^|,)le="/.test(labels))
        problems.push(`${name}: le is for buckets`);
    }
  }
  for (const [name, type] of types) {
    if (!helped.has(name)) problems.push(`${name}: has no help`);
    if ((type === 'counter') !== name.endsWith('_total')) problems.push(`${name}: a ${type}`);
    if (OTHER_UNITS.test(name)) problems.push(`${name}: not in a base unit`);
  }
  return problems;
}
