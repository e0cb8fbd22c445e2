import { openDatabase } from '#db/client.ts';
import { loadConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { createRegistryLog, createTruth, runningWriter } from '#server/network/index.ts';
import { run, UsageError } from './command.ts';

/** `npm run registry-log`: writes the registry's public history to its log, once. */

const USAGE = `npm run registry-log
    writes what is new in the registry's public history to the log in REGISTRY_LOG_DIR;
    the service with the same configuration does so by itself
npm run registry-log -- --recover <url or directory>
    completes the log with the blocks of a peer: the address of its health server, such as
    https://genesis.example.org/, or a directory with a copy of the log
npm run registry-log -- --accept-head
    goes on from the last block that is here, although it can't be compared: only if no peer has later ones;
    a log that lacks the block that the database knows as the last one needs --recover`;

run(USAGE, async (args) => {
  const [option, from, ...rest] = args;
  const isRecovery = option === '--recover' && from !== undefined;
  const isAcceptance = option === '--accept-head' && from === undefined;
  if (rest.length > 0 || (option !== undefined && !isRecovery && !isAcceptance))
    throw new UsageError('This command takes --recover with one place, --accept-head, or nothing.');
  const config = loadConfig();
  if (!config.registryLog)
    throw new UsageError('Set REGISTRY_LOG_DIR, REGISTRY_LOG_KEY_FILE and TRUTH_FILE.');
  const { directory } = config.registryLog;
  const writer = await runningWriter(directory);
  if (writer !== null) return alreadyWritten(directory, writer, option);

  const log = createLog(config.logLevel);
  const truth = createTruth({ config, log, clock: Date.now });
  await truth.load();
  const database = await openDatabase(config, { log, ownership: 'own or join', mustExist: true });
  const registryLog = createRegistryLog(
    { config, db: database.db, log, clock: Date.now },
    truth.trust,
  );
  try {
    registryLog.load();
    const result = await (isRecovery
      ? registryLog.recover(from)
      : isAcceptance
        ? registryLog.acceptHead()
        : registryLog.write());
    if (!result) throw new Error('There is nothing to write to.');
    if ('writer' in result) return alreadyWritten(directory, result.writer, option);
    if ('elsewhere' in result)
      return 'Another machine writes the log of this database, or has been killed within 30 seconds. Nothing was written.';
    const { head } = result;
    const end =
      head.height === 0 ? 'has no block yet' : `ends with block ${head.height}, ${head.id}`;
    const done =
      'events' in result
        ? wrote('Wrote', result.events, 'event')
        : wrote('Fetched', result.added, 'block');
    return `${done}. The log in ${directory} ${end}.`;
  } finally {
    await registryLog.stop();
    await database.close();
  }
});

/** `Wrote 1,204 events`, or that there were none. */
const wrote = (verb: string, count: number, what: string): string =>
  count === 0
    ? 'Nothing new'
    : `${verb} ${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;

/** @throws UsageError if the command was to do something that the process doesn't do by itself */
function alreadyWritten(directory: string, writer: number, option: string | undefined): string {
  const writes = `Process ${writer} is running and writes the log in ${directory} itself.`;
  if (option !== undefined) throw new UsageError(`${writes} Stop it first.`);
  return `${writes} There is nothing to do.`;
}
