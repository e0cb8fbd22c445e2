import { readFile, stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import { PublishedTruth } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { Trust, TrustError } from '@mesh-registry/protocol/truth/trust.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { ConfigError, type Config } from '#server/config.ts';
import { fixedAnswer, type Answer } from '#server/live/index.ts';
import { summarizer, type NetworkSummary } from './truth-summary.ts';

export type { NetworkSummary, RoleSummary } from './truth-summary.ts';

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
      throw new AppError('not_found', 'This network publishes no signed truth.');
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
