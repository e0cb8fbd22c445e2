import { readFile, stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { SignedDocument } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { signersAmong } from '@mesh-registry/protocol/keys/dsse.ts';
import { fingerprint, readRoot } from '@mesh-registry/protocol/truth/documents.ts';
import { Trust, TrustError } from '@mesh-registry/protocol/truth/trust.ts';
import {
  PublishedTruth,
  ROOT_TYPE,
  TRUTH_TYPE,
  type Role,
} from '@mesh-registry/protocol/truth/truth.schema.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { ConfigError, type Config } from '#server/config.ts';
import { fixedAnswer, type Answer } from '#server/live/index.ts';

/** How often the file is looked at, milliseconds. */
const LOOK_MS = 10_000;
const FILE_BYTES_MAX = 8 * 1024 * 1024;

interface Published {
  answer: Answer;
  trust: Trust;
  summary: (now: number) => NetworkSummary;
}

/**
 * The network's signed root and truth: the file TRUTH_FILE, checked and published as it is. The service holds none of
 * their keys. A new file is read while the service runs; one that cannot be believed after the last is not published.
 */
export function createTruth({
  config,
  log,
  clock,
}: {
  config: Pick<Config, 'truthFile'>;
  log: Logger;
  clock: () => number;
}) {
  const file = config.truthFile;
  let published: Published | null = null;
  /** Which version of the file was read last. */
  let seen = '';
  let timer: NodeJS.Timeout | undefined;

  /** Reads the file if it has changed. @throws TrustError, or an error of the file system */
  async function read(): Promise<void> {
    if (file === undefined) return;
    const { mtimeMs, size, ino } = await stat(file);
    const version = `${mtimeMs} ${size} ${ino}`;
    if (version === seen) return;
    if (size > FILE_BYTES_MAX)
      throw new TrustError('malformed', `It is larger than ${FILE_BYTES_MAX} bytes.`);
    const text = await readFile(file, 'utf8');
    // A file that is refused is told of once.
    seen = version;
    const trust = believe(text, clock);
    if (published) requireNewer(trust, published.trust, clock);
    if (trust.stale)
      log.warn({ file }, 'the truth in TRUTH_FILE, or its root, has expired: peers refuse it');
    published = { answer: fixedAnswer(text), trust, summary: summarizer(trust) };
  }

  return {
    /** @throws ConfigError if the file cannot be read or believed */
    async load(): Promise<void> {
      await read().catch((error: unknown) => {
        throw new ConfigError(
          `TRUTH_FILE: ${file} can’t be published. ${error instanceof Error ? error.message : String(error)}`,
        );
      });
    },
    /** What GET /api/truth answers. @throws AppError `not_found` */
    answer(): Answer {
      if (published) return published.answer;
      throw new AppError('not_found', 'This network publishes no signed settings.');
    },
    /** What it says, checked; null: the network publishes none. */
    summary: (): NetworkSummary | null => published?.summary(clock()) ?? null,
    /** What it says whose signatures count; null: the network publishes none. */
    trust: (): Trust | null => published?.trust ?? null,
    /** Reads the file again if it has changed; one that cannot be published is logged. Also runs by itself. */
    async refresh(): Promise<void> {
      await read().catch((error: unknown) =>
        log.warn({ err: error, file }, 'the new TRUTH_FILE is not published'),
      );
    },
    start(): void {
      if (file !== undefined) timer = setInterval(() => void this.refresh(), LOOK_MS).unref();
    },
    stop: () => clearInterval(timer),
  };
}

function believe(text: string, clock: () => number): Trust {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new TrustError('malformed', 'It is not JSON.');
  }
  const file = PublishedTruth.safeParse(content);
  if (!file.success)
    throw new TrustError(
      'malformed',
      'It must be a JSON object with roots, a list of envelopes, and truth, an envelope.',
    );
  return Trust.restore(file.data, clock);
}

/** A file that goes back, or that forks, was put there by mistake, or by somebody else. */
function requireNewer(next: Trust, before: Trust, clock: () => number): void {
  const known = Trust.restore(before.state, clock);
  for (const root of next.state.roots) known.takeRoot(root);
  if (next.state.truth) known.takeTruth(next.state.truth);
}

export type NetworkSummary = ReturnType<ReturnType<typeof summarizer>>;
export type RoleSummary = ReturnType<typeof roleOf>;

/** A page lists this many bans; the answer of GET /api/truth has all. */
const BANS_LISTED = 100;

/**
 * What a verified truth says, for the page of the network. Who has signed is found out once.
 * @param trust with a truth
 * @returns what it says at a moment, milliseconds since 1970
 */
function summarizer(trust: Trust) {
  const { root, truth, state } = trust;
  const [first, last] = [state.roots[0], state.roots.at(-1)];
  if (!truth || !state.truth || !first || !last) throw new TypeError('There is no truth.');
  const { bans, network, ...rest } = truth;
  const documents = {
    network,
    root: {
      version: root.version,
      issued: root.issued,
      expires: root.expires,
      roles: {
        root: roleOf(root.roles.root, { document: last, type: ROOT_TYPE }),
        truth: roleOf(root.roles.truth, { document: state.truth, type: TRUTH_TYPE }),
        block: roleOf(root.roles.block, null),
      },
    },
    /** The first root that is published, for comparing it with the one that a reader trusts. */
    firstRoot: { version: readRoot(first).version, fingerprint: fingerprint(first) },
    truth: rest,
  };
  return (now: number) => {
    const inForce = bans.filter(({ until }) => until === null || Date.parse(until) > now);
    return {
      ...documents,
      /** Now, ISO 8601. */
      at: new Date(now).toISOString(),
      /** Whether peers take it for expired: someone keeps newer documents back, or nobody signs. */
      stale: trust.stale,
      bans: {
        /** How many hold now. */
        total: inForce.length,
        /** The newest of them. */
        newest: inForce
          .sort((one, other) => Date.parse(other.since) - Date.parse(one.since))
          .slice(0, BANS_LISTED),
      },
    };
  };
}

/**
 * A role of the root: who may sign, and who has signed the current one.
 * @param signed the document and its type; null for the keys of the log, which sign blocks
 */
function roleOf(
  { keys, threshold }: Role,
  signed: { document: SignedDocument; type: string } | null,
) {
  const signers = signed && signersAmong(signed.document, signed.type, keys);
  return { threshold, keys: keys.map((key) => ({ key, signed: signers?.has(key) ?? null })) };
}
