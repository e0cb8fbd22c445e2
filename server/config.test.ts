import { describe, expect, test } from 'vitest';
import { ConfigError, parseConfig } from './config.ts';

/** The error message for an invalid environment; empty for a valid one. */
function refusal(environment: Record<string, string>): string {
  try {
    parseConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

const PRODUCTION = {
  NODE_ENV: 'production',
  WEBHOOK_SECRET: 'a-secret',
  AUTH_SECRET: 'x'.repeat(32),
  CASHTAG: '$MeshNet',
};

describe('defaults', () => {
  const DEFAULTS = {
    production: false,
    port: 3000,
    host: '127.0.0.1',
    databaseUrl: undefined,
    databasePoolSize: 10,
    dataDir: './data',
    picturesDir: 'data/pictures',
    webhookSecrets: [],
    authSecret: undefined,
    publicUrl: undefined,
    cashtag: '$MeshDemo',
    cashtagIsDefault: true,
    feeCents: 500,
    holdMs: 48 * 3_600_000,
    genesis: {
      healthUrl: undefined,
      label: 'Genesis',
      region: undefined,
      lat: 0,
      lng: 0,
      placed: false,
      since: undefined,
    },
    network: {
      name: 'Mesh Registry',
      contactUrl: null,
      refundPolicy: 'Ask the operator of this network about refunds.',
    },
    phase: '1',
    coordinateGrid: 0.5,
    computeFreshMs: 300_000,
    computeListing: 'activated',
    nodeKeys: 'registered',
    truthFile: undefined,
    registryLog: null,
    rateLimits: true,
    nodeRetentionDays: 30,
    newNodesPerHour: 2000,
    newComputesPerHour: 5000,
    newRegistrationsPerDay: 100,
    openRegistrationsPerNode: 5,
    openRegistrationsPerClient: 20,
    trustProxy: 0,
    reviewWebhook: null,
    webConcurrency: 1,
    maxConnections: undefined,
    drainMs: 0,
    maxStreams: 5000,
    streamsPerClient: 100,
    sharedCacheSeconds: 0,
    logLevel: 'info',
  };
  const NAMES = [
    'NODE_ENV PORT HOST DATABASE_URL DATABASE_POOL_SIZE DATA_DIR WEBHOOK_SECRET AUTH_SECRET PUBLIC_URL CASHTAG',
    'REGISTRATION_FEE_USD HOLD_HOURS GENESIS_HEALTH_URL GENESIS_LABEL GENESIS_REGION GENESIS_LAT',
    'REVIEW_WEBHOOK_URL REVIEW_WEBHOOK_SECRET',
    'GENESIS_LNG GENESIS_SINCE NETWORK_NAME CONTACT_URL REFUND_POLICY NETWORK_PHASE COORDINATE_GRID COMPUTE_FRESH_MS COMPUTE_LISTING',
    'NODE_KEYS TRUTH_FILE REGISTRY_LOG_DIR REGISTRY_LOG_KEY_FILE REGISTRY_LOG_MS RATE_LIMITS NEW_NODES_PER_HOUR NEW_COMPUTES_PER_HOUR NEW_REGISTRATIONS_PER_DAY OPEN_REGISTRATIONS_PER_NODE',
    'OPEN_REGISTRATIONS_PER_CLIENT TRUST_PROXY WEB_CONCURRENCY MAX_CONNECTIONS LOG_LEVEL',
  ]
    .join(' ')
    .split(' ');

  test('an empty environment gives a complete configuration', () => {
    expect(parseConfig({})).toEqual(DEFAULTS);
  });

  test('an empty variable counts as unset', () => {
    expect(parseConfig(Object.fromEntries(NAMES.map((name) => [name, ''])))).toEqual(DEFAULTS);
  });

  test('unknown variables are ignored', () => {
    expect(parseConfig({ PATH: '/bin', HOME: '/root', OFFLINE_AFTER_MS: '1' })).toEqual(DEFAULTS);
  });

  test('in production the server listens on all addresses', () => {
    expect(parseConfig(PRODUCTION)).toMatchObject({
      production: true,
      host: '0.0.0.0',
      cashtag: '$MeshNet',
      cashtagIsDefault: false,
    });
    expect(parseConfig({ ...PRODUCTION, HOST: '::1' }).host).toBe('::1');
  });
});

test.each([
  ['PORT', '0', { port: 0 }],
  ['PORT', '65535', { port: 65535 }],
  ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
  [
    'DATABASE_URL',
    'postgresql://user:pw@host:5432/db',
    { databaseUrl: 'postgresql://user:pw@host:5432/db' },
  ],
  [
    'DATABASE_URL',
    'postgres://user:pw@a:5432,b/db?target_session_attrs=read-write',
    { databaseUrl: 'postgres://user:pw@a:5432,b/db?target_session_attrs=read-write' },
  ],
  ['DATABASE_POOL_SIZE', '4', { databasePoolSize: 4 }],
  [
    'DATA_DIR',
    '/var/lib/mesh',
    { dataDir: '/var/lib/mesh', picturesDir: '/var/lib/mesh/pictures' },
  ],
  ['WEBHOOK_SECRET', 'one', { webhookSecrets: ['one'] }],
  ['WEBHOOK_SECRET', 'new, old', { webhookSecrets: ['new', 'old'] }],
  ['PUBLIC_URL', 'https://mesh.example.org/', { publicUrl: 'https://mesh.example.org' }],
  ['PUBLIC_URL', 'http://10.0.0.1:8080/base', { publicUrl: 'http://10.0.0.1:8080/base' }],
  ['CASHTAG', '$Mesh_Net-2', { cashtag: '$Mesh_Net-2', cashtagIsDefault: false }],
  ['REGISTRATION_FEE_USD', '5', { feeCents: 500 }],
  ['REGISTRATION_FEE_USD', '7.5', { feeCents: 750 }],
  ['REGISTRATION_FEE_USD', '0.29', { feeCents: 29 }],
  ['HOLD_HOURS', '0.5', { holdMs: 1_800_000 }],
  ['GENESIS_SINCE', '2026-01-31', { genesis: { since: new Date('2026-01-31T00:00:00.000Z') } }],
  ['GENESIS_LAT', '-33.9', { genesis: { lat: -33.9 } }],
  ['GENESIS_LNG', '180', { genesis: { lng: 180 } }],
  ['NETWORK_NAME', ' Nordic Mesh ', { network: { name: 'Nordic Mesh' } }],
  [
    'CONTACT_URL',
    'https://example.org/contact',
    { network: { contactUrl: 'https://example.org/contact' } },
  ],
  [
    'CONTACT_URL',
    'mailto:mesh@example.org?subject=Mesh',
    { network: { contactUrl: 'mailto:mesh@example.org?subject=Mesh' } },
  ],
  [
    'REFUND_POLICY',
    ' Refunds within 14 days: “write to us” & we pay back. ',
    { network: { refundPolicy: 'Refunds within 14 days: “write to us” & we pay back.' } },
  ],
  ['REFUND_POLICY', '🙂'.repeat(200), { network: { refundPolicy: '🙂'.repeat(200) } }],
  ['NETWORK_PHASE', 'beta-2', { phase: 'beta-2' }],
  ['COORDINATE_GRID', '0.1', { coordinateGrid: 0.1 }],
  ['COMPUTE_FRESH_MS', '1000', { computeFreshMs: 1000 }],
  ['COMPUTE_LISTING', 'announced', { computeListing: 'announced' }],
  ['NODE_KEYS', 'first-use', { nodeKeys: 'first-use' }],
  ['TRUTH_FILE', '/etc/mesh/truth.json', { truthFile: '/etc/mesh/truth.json' }],
  ['RATE_LIMITS', 'off', { rateLimits: false }],
  ['NODE_RETENTION_DAYS', '0', { nodeRetentionDays: 0 }],
  ['NEW_NODES_PER_HOUR', '100000', { newNodesPerHour: 100_000 }],
  ['NEW_COMPUTES_PER_HOUR', '256', { newComputesPerHour: 256 }],
  ['NEW_REGISTRATIONS_PER_DAY', '7', { newRegistrationsPerDay: 7 }],
  ['OPEN_REGISTRATIONS_PER_NODE', '1', { openRegistrationsPerNode: 1 }],
  ['OPEN_REGISTRATIONS_PER_CLIENT', '500', { openRegistrationsPerClient: 500 }],
  ['TRUST_PROXY', '2', { trustProxy: 2 }],
  ['MAX_CONNECTIONS', '500', { maxConnections: 500 }],
  ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
])('%s=%s is valid', (name, value, expected) => {
  expect(parseConfig({ [name]: value })).toMatchObject(expected);
});

test.each([
  ['PORT', ['x', '-1', '65536', '80.5', ' 80', '0x50']],
  [
    'DATABASE_URL',
    [
      'mysql://host/db',
      'host:5432',
      'postgres',
      'postgres://a,,b/db',
      'postgres://a:x,b/db',
      'postgres://a,b/db?target_session_attrs=standby',
    ],
  ],
  ['DATABASE_POOL_SIZE', ['0', '1', '1001', '5.5']],
  ['WEBHOOK_SECRET', ['a,,b', ',', 'with space', 'ümlaut']],
  ['AUTH_SECRET', ['x'.repeat(31), ' '.repeat(40)]],
  ['PUBLIC_URL', ['mesh.example.org', 'ftp://mesh.example.org', 'https://']],
  ['CASHTAG', ['MeshNet', '$', '$1abc', '$a b', `$${'x'.repeat(30)}`]],
  ['REGISTRATION_FEE_USD', ['-1', 'five', '5.001', '5,00', '1e3', '$5']],
  ['HOLD_HOURS', ['0', '-1', 'x', 'Infinity']],
  [
    'REVIEW_WEBHOOK_SECRET',
    [
      'short',
      ' '.repeat(20),
      'whsec_..........',
      `whsec_${Buffer.alloc(23, 1).toString('base64')}`,
      // With a line break of the shell, in base64url, and with a character missing.
      `whsec_${Buffer.alloc(32, 1).toString('base64')}\n`,
      `whsec_${Buffer.alloc(33, 0xff).toString('base64url')}`,
      `whsec_${Buffer.alloc(32, 1).toString('base64').slice(1)}`,
    ],
  ],
  ['GENESIS_HEALTH_URL', ['x', 'ftp://host/', 'file:///etc/passwd', 'javascript:alert(1)']],
  ['GENESIS_LABEL', ['x'.repeat(65)]],
  ['GENESIS_REGION', ['eu', 'X'.repeat(17), 'E U']],
  ['GENESIS_LAT', ['90.1', '-91', 'north']],
  ['GENESIS_LNG', ['180.1', '-181', 'east']],
  ['GENESIS_SINCE', ['yesterday', '2026-13-01']],
  ['NETWORK_NAME', ['x'.repeat(65), ' ', 'two\nlines', '<b>']],
  [
    'CONTACT_URL',
    [
      'example.org',
      'http://example.org',
      'javascript:alert(1)',
      'https://user:pw@example.org',
      'mailto:',
      'mailto:nobody',
      'mesh@example.org',
    ],
  ],
  ['REFUND_POLICY', ['x'.repeat(201), 'two\nlines', 'a <b>', 'a \u202e b']],
  ['NETWORK_PHASE', ['x'.repeat(9)]],
  ['COORDINATE_GRID', ['0.09', '0', '-1', 'fine']],
  ['COMPUTE_FRESH_MS', ['0', '-5', '1.5', 'x']],
  ['COMPUTE_LISTING', ['all', 'ACTIVATED']],
  ['NODE_KEYS', ['first_use', 'off', 'REGISTERED']],
  ['REGISTRY_LOG_MS', ['0', '999', '86400001', '1.5', 'minute']],
  ['RATE_LIMITS', ['yes', 'ON', '0', 'false']],
  ['NEW_NODES_PER_HOUR', ['0', '-1', '1.5', 'off']],
  ['NEW_COMPUTES_PER_HOUR', ['255', 'off']],
  ['NEW_REGISTRATIONS_PER_DAY', ['0', 'off']],
  ['OPEN_REGISTRATIONS_PER_NODE', ['0', 'off']],
  ['OPEN_REGISTRATIONS_PER_CLIENT', ['0', '-1']],
  ['TRUST_PROXY', ['-1', 'true', '1.5']],
  ['WEB_CONCURRENCY', ['0', '-1', 'auto', '1.5']],
  ['MAX_CONNECTIONS', ['0', '-1', '1.5', 'many']],
  ['LOG_LEVEL', ['loud', 'INFO']],
])('an invalid %s stops startup with an error naming it', (name, values) => {
  for (const value of values) {
    const said = refusal({ [name]: value });
    expect({ value, said }).toEqual({
      value,
      said: expect.stringMatching(new RegExp(`^(${name} (must|is|has|needs) [^\\n]+\\.(\\n|$))+$`)),
    });
    expect(said).not.toMatch(/expected|received|Invalid/);
  }
});

test('all invalid variables are named at once', () => {
  const said = refusal({ PORT: 'x', LOG_LEVEL: 'loud', COORDINATE_GRID: '0' });
  expect(said.split('\n').map((line) => line.split(' ')[0])).toEqual([
    'PORT',
    'COORDINATE_GRID',
    'LOG_LEVEL',
  ]);
});

test('the error never repeats a secret', () => {
  const said = refusal({
    DATABASE_URL: 'mysql://user:hunter2@host/db',
    WEBHOOK_SECRET: 'hunter2 hunter2',
    AUTH_SECRET: 'hunter2',
    REVIEW_WEBHOOK_SECRET: 'whsec_hunter2hunter2',
  });
  expect(said).toMatch(/DATABASE_URL[^]*WEBHOOK_SECRET[^]*AUTH_SECRET[^]*REVIEW_WEBHOOK_SECRET/);
  expect(said).not.toContain('hunter2');
});

describe('production', () => {
  test.each(['WEBHOOK_SECRET', 'AUTH_SECRET', 'CASHTAG'])('does not start without %s', (name) => {
    for (const value of [undefined, ''])
      expect(refusal({ ...PRODUCTION, [name]: value as string })).toMatch(
        new RegExp(`^${name} is required in production\\.$`),
      );
  });

  test('names all missing variables at once', () => {
    expect(refusal({ NODE_ENV: 'production' }).split('\n')).toHaveLength(3);
  });

  test('requires none of them elsewhere', () => {
    for (const NODE_ENV of ['development', 'test', 'staging'])
      expect(parseConfig({ NODE_ENV }).production).toBe(false);
  });
});

describe('WEB_CONCURRENCY', () => {
  test('is a number of processes, with a database of either kind', () => {
    expect(refusal({ WEB_CONCURRENCY: '0' })).toMatch(/^WEB_CONCURRENCY must be from 1/);
    expect(parseConfig({ WEB_CONCURRENCY: '2' }).webConcurrency).toBe(2);
    const both = { WEB_CONCURRENCY: '4', DATABASE_URL: 'postgres://host/db' };
    expect(parseConfig(both).webConcurrency).toBe(4);
    expect(parseConfig({ WEB_CONCURRENCY: '1' }).webConcurrency).toBe(1);
  });
});

describe('REGISTRY_LOG_DIR', () => {
  const variables = {
    REGISTRY_LOG_DIR: '/var/lib/mesh-registry-log',
    REGISTRY_LOG_KEY_FILE: '/etc/mesh/block.key',
    TRUTH_FILE: '/etc/mesh/truth.json',
  };
  const settings = {
    directory: '/var/lib/mesh-registry-log',
    keyFile: '/etc/mesh/block.key',
    keyGuarded: false,
    everyMs: 60_000,
  };

  test('needs the key that signs the log, and the root that names it', () => {
    expect(parseConfig(variables).registryLog).toEqual(settings);
    expect(parseConfig({ ...variables, REGISTRY_LOG_MS: '5000' }).registryLog).toEqual({
      ...settings,
      everyMs: 5000,
    });
    for (const name of Object.keys(variables))
      expect(refusal({ ...variables, [name]: '' })).toMatch(
        new RegExp(`^${name} is required with`),
      );
    expect(parseConfig({ TRUTH_FILE: variables.TRUTH_FILE }).registryLog).toBeNull();
  });

  test('takes a key from systemd, which guards its copies in its own way', () => {
    const guarded = (CREDENTIALS_DIRECTORY: string) =>
      parseConfig({ ...variables, CREDENTIALS_DIRECTORY }).registryLog?.keyGuarded;
    expect(guarded('/etc/mesh/')).toBe(true);
    for (const other of ['', '/etc', '/etc/mes', '/run/credentials/x'])
      expect(guarded(other)).toBe(false);
  });
});

describe('GENESIS_HEALTH_URL', () => {
  test.each([
    'https://user@host.example/',
    'https://user:pass@host.example/',
    'https://:pass@host.example/',
    'http://user:pass@127.0.0.1/',
  ])('%s is refused: it has a user or password', (url) => {
    for (const name of ['GENESIS_HEALTH_URL', 'REVIEW_WEBHOOK_URL'])
      expect(refusal({ [name]: url, REVIEW_WEBHOOK_SECRET: 'x'.repeat(32) })).toBe(
        `${name} must not include a user or password.`,
      );
  });

  test('can be https everywhere', () => {
    for (const url of ['https://genesis.example.org/health', 'https://127.0.0.1:8443/'])
      for (const environment of [{}, PRODUCTION])
        expect(parseConfig({ ...environment, GENESIS_HEALTH_URL: url }).genesis.healthUrl).toBe(
          url,
        );
  });

  test('can be plain http only for loopback addresses outside production', () => {
    for (const host of [
      '127.0.0.1:4000',
      'localhost:4000',
      '[::1]:4000',
      '127.0.0.2',
      '127.1.2.3',
    ]) {
      const GENESIS_HEALTH_URL = `http://${host}/health`;
      expect(parseConfig({ GENESIS_HEALTH_URL }).genesis.healthUrl).toBe(GENESIS_HEALTH_URL);
      expect(refusal({ ...PRODUCTION, GENESIS_HEALTH_URL })).toMatch(
        /^GENESIS_HEALTH_URL must be https/,
      );
    }
    for (const host of [
      'genesis.example.org',
      '10.0.0.1',
      '192.168.1.1',
      '0.0.0.0',
      'localhost.example.org',
      '127.0.0.1.example.org',
      '[fe80::1]',
    ])
      expect(refusal({ GENESIS_HEALTH_URL: `http://${host}/health` })).toMatch(
        /^GENESIS_HEALTH_URL must be https/,
      );
  });
});

describe('REVIEW_WEBHOOK_URL', () => {
  const REVIEW_WEBHOOK_URL = 'https://chat.example.org/hook';
  test('needs the secret that signs its messages', () => {
    expect(refusal({ REVIEW_WEBHOOK_URL })).toMatch(/^REVIEW_WEBHOOK_SECRET is required/);
    const REVIEW_WEBHOOK_SECRET = 'a secret of the receiver';
    expect(parseConfig({ REVIEW_WEBHOOK_URL, REVIEW_WEBHOOK_SECRET }).reviewWebhook).toEqual({
      url: REVIEW_WEBHOOK_URL,
      key: Buffer.from(REVIEW_WEBHOOK_SECRET),
    });
    expect(parseConfig({}).reviewWebhook).toBeNull();
  });

  test('is signed with the bytes after whsec_', () => {
    const key = Buffer.alloc(24, 0xfb);
    const REVIEW_WEBHOOK_SECRET = `whsec_${key.toString('base64')}`;
    const { reviewWebhook } = parseConfig({ REVIEW_WEBHOOK_URL, REVIEW_WEBHOOK_SECRET });
    expect(reviewWebhook?.key).toEqual(key);
  });

  test('must be https, except for loopback addresses outside production', () => {
    const REVIEW_WEBHOOK_SECRET = 'a secret of the receiver';
    const at = (url: string) => ({ REVIEW_WEBHOOK_URL: url, REVIEW_WEBHOOK_SECRET });
    for (const url of ['x', 'ftp://host/', 'http://chat.example.org/hook'])
      expect(refusal(at(url))).toMatch(/^REVIEW_WEBHOOK_URL must be /);
    const loopback = at('http://127.0.0.1:9000/hook');
    expect(parseConfig(loopback).reviewWebhook?.url).toBe('http://127.0.0.1:9000/hook');
    expect(refusal({ ...PRODUCTION, ...loopback })).toMatch(/^REVIEW_WEBHOOK_URL must be https/);
  });
});
