import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import type { DamagedLogError } from '@mesh-registry/protocol/log/segment.ts';
import type { StoredBlocks } from '@mesh-registry/protocol/log/stored-blocks.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { askHead } from './genesis-head.ts';
import type { LogHead, RecordedHead } from './log-head.ts';

/** The log cannot be continued as it is. */
export class RegistryLogError extends Error {
  override readonly name = 'RegistryLogError';
}

export interface LogOptions {
  directory: string;
  trust: Trust;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Where the database says that the log ends. The caller has its lease, or there is no row yet. */
  head: LogHead;
  /** The health server of Genesis, if there is one. */
  genesisUrl: string | undefined;
  /** Aborts asking it. */
  end: AbortSignal;
}

const RECOVER =
  'Fetch the blocks that are missing: npm run registry-log -- --recover URL, with the address of the health server of a peer that has them, or a directory with a copy.';
const REPLACE =
  'Put the right log there, or move this one away and run: npm run registry-log -- --recover URL';

/**
 * Opens the log to be continued. First it gets the blocks that a crash has kept from the disk; then it has to end where
 * the database says, and Genesis, if it can be asked. What can't be decided so, such as after a restore, is decided by a
 * Genesis that has the same last block, or by the operator.
 * @param recorded null: the database has no row yet
 * @param accept the operator takes the end of the log on disk for the right one, although it can't be compared. The log has
 * to have the recorded block all the same: one that is behind, or another one, would fork the network's
 * @returns `compared`: whether Genesis has said that it knows no other log
 * @throws RegistryLogError that says what to do; DamagedLogError; what the file system or the database throws
 */
export async function openRegistryLog(
  options: LogOptions,
  recorded: RecordedHead | null,
  accept: boolean,
): Promise<{ log: BlockLog; compared: boolean }> {
  const { directory, trust, clock, head } = options;
  const log = BlockLog.open(directory, { trust, now: clock, onDamage: 'refuse' });
  try {
    if (recorded) await finishAppend(log, head, recorded);
    requireCheckpoint(log, trust);
    if (recorded) requireRecorded(log, recorded);
    const genesis = await compareWithGenesis(log, options);
    const isCertain = recorded && !recorded.mustCompare && recorded.id === log.head.id;
    if (!isCertain) {
      // The first log of a registry without Genesis has nothing to be compared with.
      const isFirst = !recorded && options.genesisUrl === undefined;
      if (!accept && !isFirst && genesis !== 'same') throw undecided(log, recorded, genesis);
      const isOurs = await (recorded ? head.settle(log.head) : head.create(log.head));
      if (!isOurs) throw lostLease();
    }
    return { log, compared: isCompared(genesis) };
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** The disk has changed the log, or lost a part of it. */
export const damagedLog = (error: DamagedLogError) =>
  new RegistryLogError(`${error.message} ${RECOVER}`, { cause: error });

/** Somebody else began to write. The next run finds out who. */
export const lostLease = () =>
  new RegistryLogError('Another process has begun to write the log. This one has written nothing.');

/** Appends what was recorded last, if a crash has kept it from the disk. */
async function finishAppend(log: BlockLog, head: LogHead, recorded: RecordedHead): Promise<void> {
  if (log.head.height >= recorded.height) return;
  const frames = await head.frames();
  // A log that ends before them gets none: it lacks more than a crash takes.
  if (log.head.height + frames.length < recorded.height) return;
  const { bad } = await log.append(frames);
  if (bad) throw new RegistryLogError(`The log in ${log.directory}: ${bad.message} ${REPLACE}`);
}

/** A log that was lost, or is another one, must not begin anew: peers have the one before. */
function requireCheckpoint(log: BlockLog, { truth }: Trust): void {
  const { height, id } = truth?.log ?? { height: 0, id: '' };
  if (height === 0 || log.idAt(height) === id) return;
  throw new RegistryLogError(
    log.head.height < height
      ? `The log in ${log.directory} ends at block ${log.head.height}, but the network’s truth names block ${height}. ${RECOVER}`
      : `Block ${height} of the log in ${log.directory} is not the one that the network’s truth names. ${REPLACE}`,
  );
}

/** @throws RegistryLogError if a log does not have the last block that was recorded */
export function requireRecorded(
  log: Pick<StoredBlocks, 'directory' | 'head' | 'idAt'>,
  { height, id }: RecordedHead,
): void {
  if (log.head.height < height)
    throw new RegistryLogError(
      `The log in ${log.directory} ends at block ${log.head.height}, but the registry has written block ${height}. ${RECOVER}`,
    );
  if (log.idAt(height) !== id)
    throw new RegistryLogError(
      `Block ${height} of the log in ${log.directory} is not the one that the registry wrote. ${REPLACE}`,
    );
}

/** What Genesis has: the same log, its beginning, or it does not say, as one of an earlier release can't. */
type Comparison = 'same' | 'shorter' | 'unknown' | 'earlier release';

/** Whether Genesis has said that it knows no other log. */
export const isCompared = (genesis: Comparison): boolean =>
  genesis === 'same' || genesis === 'shorter';

/** @throws RegistryLogError if Genesis has more blocks, or others */
export async function compareWithGenesis(
  log: BlockLog,
  { genesisUrl, end }: Pick<LogOptions, 'genesisUrl' | 'end'>,
): Promise<Comparison> {
  const theirs = genesisUrl === undefined ? null : await askHead(genesisUrl, end);
  if (!theirs) return 'unknown';
  const { height, block } = theirs;
  if (height > log.head.height)
    throw new RegistryLogError(
      `Genesis has block ${height}, but the log in ${log.directory} ends at block ${log.head.height}. ${RECOVER}`,
    );
  if (block === undefined) return 'earlier release';
  if (log.idAt(height) !== block)
    throw new RegistryLogError(
      `Genesis has another block ${height} than the log in ${log.directory}. Find out which one the network has. ${REPLACE}`,
    );
  return height === log.head.height ? 'same' : 'shorter';
}

function undecided(log: BlockLog, recorded: RecordedHead | null, genesis: Comparison) {
  const why =
    recorded === null
      ? 'The database doesn’t know this log yet'
      : recorded.mustCompare
        ? 'The database was restored'
        : `The database knows block ${recorded.height} as the last one`;
  const asked = {
    same: '',
    shorter: 'Genesis has fewer blocks.',
    unknown: 'No Genesis has said where the network’s log ends.',
    'earlier release':
      'Genesis is of an earlier release and doesn’t say which block is its last: upgrade it first.',
  }[genesis];
  return new RegistryLogError(
    `The log in ${log.directory} ends at block ${log.head.height}, and peers may have more. ${why}. ${asked} Start Genesis, and set GENESIS_HEALTH_URL; or compare with another peer: npm run registry-log -- --recover URL. If nobody has later blocks: npm run registry-log -- --accept-head`,
  );
}
