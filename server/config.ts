import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { parseDatabaseUrl } from '#db/connection/url.ts';

/**
 * The environment, parsed once. Nothing else reads `process.env`. Invalid values stop startup with an error
 * naming the variable.
 */

const number = (what: string, pattern: RegExp) => (min: number, max: number) =>
  z
    .string()
    .regex(pattern, `must be ${what}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`);
const integer = number('a whole number', /^-?\d+$/);
const decimal = number('a number', /^-?\d+(\.\d+)?$/);

/** A secret that somebody chose. Surrounding white space does not count towards its length. */
const secretText = (min: number) =>
  z.string().refine((value) => value.trim().length >= min, `must be at least ${min} characters`);

/** Shortest key that Standard Webhooks allows, bytes. */
const SIGNING_KEY_BYTES = 24;
const WHSEC = 'whsec_';

/** The signing key: the base64 after `whsec_`, as receivers' libraries expect, otherwise the text itself. */
const signingKey = z.string().transform((value, ctx) => {
  if (!value.startsWith(WHSEC)) return Buffer.from(value);
  const encoded = value.slice(WHSEC.length);
  // Buffer.from() skips invalid characters, which would silently shorten a mistyped key.
  const key = z.base64().safeParse(encoded).success ? Buffer.from(encoded, 'base64') : null;
  if (key && key.length >= SIGNING_KEY_BYTES) return key;
  const message = `must have at least ${SIGNING_KEY_BYTES} bytes in base64 after ${WHSEC}; generate it with openssl rand -base64 32`;
  ctx.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** One line of visible text. */
const nameText = z
  .string()
  .transform((value) => value.trim())
  .refine((value) => /^[^\p{C}\p{Zl}\p{Zp}<>]{1,64}$/u.test(value), {
    message: 'must be 1 to 64 characters of text, without < and >',
  });

/** Longest refund policy, characters as people count them. */
const REFUND_POLICY_MAX = 200;

/** One line that pages show as it is, beside what they say of payments. */
const refundPolicy = z
  .string()
  .transform((value) => value.trim())
  .refine(
    (value) => !/[\p{C}\p{Zl}\p{Zp}<>]/u.test(value) && [...value].length <= REFUND_POLICY_MAX,
    `must be one line of at most ${REFUND_POLICY_MAX} characters of text, without < and >`,
  );

/** Where a page may send somebody who wants to reach the operator: a site, or an address for mail. */
const contactUrl = z.string().refine((value) => {
  if (!URL.canParse(value)) return false;
  const { protocol, pathname, username, password } = new URL(value);
  if (protocol === 'mailto:') return /^[^@\s]+@[^@\s]+$/.test(pathname);
  return protocol === 'https:' && username === '' && password === '';
}, 'must be an https URL such as https://example.org/contact, or mailto: with an address');

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const DATA_DIR = './data';

const Environment = z
  .object({
    NODE_ENV: z.string().default('development'),
    PORT: integer(0, 65535).default(3000),
    HOST: z.string().optional(),
    DATABASE_URL: z
      .string()
      .superRefine((value, ctx) => {
        try {
          parseDatabaseUrl(value);
        } catch (error) {
          ctx.addIssue({ code: 'custom', message: (error as Error).message });
        }
      })
      .optional(),
    DATABASE_POOL_SIZE: integer(2, 1000).default(10),
    DATA_DIR: z
      .string()
      .refine(
        (value) => !/^memory:/.test(value),
        'must be a directory: a database in memory is no longer supported. Try npm run demo, which leaves nothing behind',
      )
      .optional(),
    WEBHOOK_SECRET: z
      .string()
      .transform((value) => value.split(',').map((secret) => secret.trim()))
      .refine(
        (secrets) => secrets.every((secret) => secret !== ''),
        'must not contain an empty secret',
      )
      .refine(
        (secrets) => secrets.every((secret) => /^[\x21-\x7e]+$/.test(secret)),
        'must contain only visible ASCII characters, because it is sent in a header',
      )
      .optional(),
    AUTH_SECRET: secretText(32).optional(),
    PUBLIC_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .transform((value) => value.replace(/\/+$/, ''))
      .optional(),
    CASHTAG: z
      .string()
      .regex(/^\$[A-Za-z][A-Za-z0-9_-]{0,19}$/, 'must be a cashtag such as $MeshRegistry')
      .optional(),
    REGISTRATION_FEE_USD: z
      .string()
      .regex(/^\d{1,5}(\.\d{1,2})?$/, 'must be an amount such as 5.00')
      .transform((value) => Math.round(Number(value) * 100))
      .default(500),
    HOLD_HOURS: decimal(0.01, 8760).default(48),
    GENESIS_HEALTH_URL: z.url({ protocol: /^https?$/, error: 'must be an https URL' }).optional(),
    GENESIS_LABEL: z.string().max(64, 'must be at most 64 characters').default('Genesis'),
    GENESIS_REGION: z
      .string()
      .regex(/^[A-Z0-9_-]{1,16}$/, 'must be 1 to 16 characters: A-Z, 0-9, - and _')
      .optional(),
    GENESIS_LAT: decimal(-90, 90).optional(),
    GENESIS_LNG: decimal(-180, 180).optional(),
    GENESIS_SINCE: z
      .string()
      .refine((value) => !Number.isNaN(Date.parse(value)), 'must be a date such as 2026-01-31')
      .transform((value) => new Date(value))
      .optional(),
    REVIEW_WEBHOOK_URL: z.url({ protocol: /^https?$/, error: 'must be an https URL' }).optional(),
    REVIEW_WEBHOOK_SECRET: secretText(16).pipe(signingKey).optional(),
    NETWORK_NAME: nameText.default('Mesh Registry'),
    CONTACT_URL: contactUrl.optional(),
    REFUND_POLICY: refundPolicy.default('Ask the operator of this network about refunds.'),
    NETWORK_PHASE: z.string().max(8, 'must be at most 8 characters').default('1'),
    COORDINATE_GRID: decimal(0.1, 30).default(0.5),
    COMPUTE_FRESH_MS: integer(1000, 86_400_000).default(300_000),
    COMPUTE_LISTING: z
      .enum(['activated', 'announced'], 'must be activated or announced')
      .default('activated'),
    NODE_KEYS: z
      .enum(['registered', 'first-use'], 'must be registered or first-use')
      .default('registered'),
    TRUTH_FILE: z.string().optional(),
    REGISTRY_LOG_DIR: z.string().optional(),
    REGISTRY_LOG_KEY_FILE: z.string().optional(),
    REGISTRY_LOG_MS: integer(1000, 86_400_000).default(60_000),
    // systemd sets it, where it gives the unit copies of secrets.
    CREDENTIALS_DIRECTORY: z.string().optional(),
    RATE_LIMITS: z.enum(['on', 'off'], 'must be on or off').default('on'),
    NODE_RETENTION_DAYS: integer(0, 36_500).default(30),
    NEW_NODES_PER_HOUR: integer(1, 1_000_000_000).default(2000),
    // An announcement, of up to 256 compute offers, is stored whole or not at all.
    NEW_COMPUTES_PER_HOUR: integer(256, 1_000_000_000).default(5000),
    NEW_REGISTRATIONS_PER_DAY: integer(1, 1_000_000).default(100),
    OPEN_REGISTRATIONS_PER_NODE: integer(1, 1_000_000).default(5),
    OPEN_REGISTRATIONS_PER_CLIENT: integer(1, 1_000_000).default(20),
    TRUST_PROXY: integer(0, 16).default(0),
    WEB_CONCURRENCY: integer(1, 256).default(1),
    DRAIN_SECONDS: integer(0, 300).default(0),
    MAX_STREAMS: integer(0, 1_000_000).default(5000),
    STREAMS_PER_CLIENT: integer(1, 1_000_000).default(100),
    SHARED_CACHE_SECONDS: integer(0, 3600).default(0),
    MAX_CONNECTIONS: integer(1, 1_000_000).optional(),
    LOG_LEVEL: z
      .enum(
        ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
        'must be fatal, error, warn, info, debug, trace or silent',
      )
      .default('info'),
  })
  .superRefine((env, ctx) => {
    const fail = (name: string, message: string) =>
      ctx.addIssue({ code: 'custom', path: [name], message });
    const production = env.NODE_ENV === 'production';
    if (production) {
      for (const name of ['WEBHOOK_SECRET', 'AUTH_SECRET', 'CASHTAG'] as const)
        if (env[name] === undefined) fail(name, 'is required in production');
    }
    for (const name of ['GENESIS_HEALTH_URL', 'REVIEW_WEBHOOK_URL'] as const) {
      if (env[name] === undefined || !URL.canParse(env[name])) continue;
      const { protocol, hostname, username, password } = new URL(env[name]);
      // fetch() refuses such a URL, each time.
      if (username !== '' || password !== '') fail(name, 'must not include a user or password');
      if (protocol === 'http:' && (production || !LOOPBACK.test(hostname)))
        fail(
          name,
          'must be https; plain http is allowed only for loopback addresses outside production',
        );
    }
    if (env.REVIEW_WEBHOOK_URL !== undefined && env.REVIEW_WEBHOOK_SECRET === undefined)
      fail('REVIEW_WEBHOOK_SECRET', 'is required with REVIEW_WEBHOOK_URL, to sign its messages');
    if (env.REGISTRY_LOG_DIR !== undefined) {
      if (env.REGISTRY_LOG_KEY_FILE === undefined)
        fail('REGISTRY_LOG_KEY_FILE', 'is required with REGISTRY_LOG_DIR, to sign the log');
      if (env.TRUTH_FILE === undefined)
        fail('TRUTH_FILE', 'is required with REGISTRY_LOG_DIR: its root names the key of the log');
    } else if (env.REGISTRY_LOG_KEY_FILE !== undefined)
      fail('REGISTRY_LOG_DIR', 'is required with REGISTRY_LOG_KEY_FILE');
  })
  .transform((env) => ({
    production: env.NODE_ENV === 'production',
    port: env.PORT,
    host: env.HOST ?? (env.NODE_ENV === 'production' ? '0.0.0.0' : '127.0.0.1'),
    databaseUrl: env.DATABASE_URL,
    /** Connections of this process to PostgreSQL, at most. */
    databasePoolSize: env.DATABASE_POOL_SIZE,
    dataDir: env.DATA_DIR ?? DATA_DIR,
    /** Where pictures are kept; null with a database elsewhere, unless there is a directory for the service. */
    picturesDir:
      env.DATABASE_URL === undefined || env.DATA_DIR !== undefined
        ? join(env.DATA_DIR ?? DATA_DIR, 'pictures')
        : null,
    webhookSecrets: env.WEBHOOK_SECRET ?? [],
    authSecret: env.AUTH_SECRET,
    publicUrl: env.PUBLIC_URL,
    cashtag: env.CASHTAG ?? '$MeshDemo',
    cashtagIsDefault: env.CASHTAG === undefined,
    feeCents: env.REGISTRATION_FEE_USD,
    holdMs: Math.round(env.HOLD_HOURS * 3_600_000),
    genesis: {
      healthUrl: env.GENESIS_HEALTH_URL,
      label: env.GENESIS_LABEL,
      region: env.GENESIS_REGION,
      lat: env.GENESIS_LAT ?? 0,
      lng: env.GENESIS_LNG ?? 0,
      /** Whether its location is configured; the maps show it only then. */
      placed: env.GENESIS_LAT !== undefined || env.GENESIS_LNG !== undefined,
      since: env.GENESIS_SINCE,
    },
    reviewWebhook:
      env.REVIEW_WEBHOOK_URL !== undefined && env.REVIEW_WEBHOOK_SECRET !== undefined
        ? { url: env.REVIEW_WEBHOOK_URL, key: env.REVIEW_WEBHOOK_SECRET }
        : null,
    /** Who runs this service, as pages, feeds and pictures say it. */
    network: {
      name: env.NETWORK_NAME,
      contactUrl: env.CONTACT_URL ?? null,
      refundPolicy: env.REFUND_POLICY,
    },
    phase: env.NETWORK_PHASE,
    coordinateGrid: env.COORDINATE_GRID,
    computeFreshMs: env.COMPUTE_FRESH_MS,
    computeListing: env.COMPUTE_LISTING,
    nodeKeys: env.NODE_KEYS,
    truthFile: env.TRUTH_FILE,
    registryLog:
      env.REGISTRY_LOG_DIR !== undefined && env.REGISTRY_LOG_KEY_FILE !== undefined
        ? {
            directory: env.REGISTRY_LOG_DIR,
            keyFile: env.REGISTRY_LOG_KEY_FILE,
            /** systemd keeps its copies of secrets from others by their folder and by access lists. */
            keyGuarded:
              env.CREDENTIALS_DIRECTORY !== undefined &&
              dirname(resolve(env.REGISTRY_LOG_KEY_FILE)) === resolve(env.CREDENTIALS_DIRECTORY),
            everyMs: env.REGISTRY_LOG_MS,
          }
        : null,
    rateLimits: env.RATE_LIMITS === 'on',
    /** 0: for ever. */
    nodeRetentionDays: env.NODE_RETENTION_DAYS,
    newNodesPerHour: env.NEW_NODES_PER_HOUR,
    newComputesPerHour: env.NEW_COMPUTES_PER_HOUR,
    newRegistrationsPerDay: env.NEW_REGISTRATIONS_PER_DAY,
    openRegistrationsPerNode: env.OPEN_REGISTRATIONS_PER_NODE,
    openRegistrationsPerClient: env.OPEN_REGISTRATIONS_PER_CLIENT,
    trustProxy: env.TRUST_PROXY,
    webConcurrency: env.WEB_CONCURRENCY,
    /** Undefined: by the process's limit of open files. */
    maxConnections: env.MAX_CONNECTIONS,
    drainMs: env.DRAIN_SECONDS * 1000,
    maxStreams: env.MAX_STREAMS,
    streamsPerClient: env.STREAMS_PER_CLIENT,
    sharedCacheSeconds: env.SHARED_CACHE_SECONDS,
    logLevel: env.LOG_LEVEL,
  }));

export type Config = Readonly<z.output<typeof Environment>>;

/** The configuration is invalid. The message has one line for each variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Parses an environment. @throws ConfigError naming every invalid variable */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  // An empty variable counts as unset: `PORT= npm start` uses the default.
  const set = Object.entries(environment).filter(([, value]) => value !== '');
  const result = Environment.safeParse(Object.fromEntries(set));
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`).join('\n'),
  );
}

/** The configuration of this process, from the environment and from `.env` in the working directory. The environment wins. */
export function loadConfig(): Config {
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return parseConfig(process.env);
}
