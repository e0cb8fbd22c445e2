import { openDatabase } from '#db/client.ts';
import { loadConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { createRegistryLog, createTruth, runningWriter } from '#server/network/index.ts';
import { run, UsageError } from './command.ts';

/** `npm run registry-log`: writes the registry's public history to its log, once. */

const USAGE = `npm run registry-log
    writes what is new in the registry's public history to the log in REGISTRY_LOG_DIR;
    the service with the same configuration does so by itself`;

run(USAGE, async (args) => {
  if (args.length > 0) throw new UsageError('This command takes no arguments.');
  const config = loadConfig();
  if (!config.registryLog)
    throw new UsageError('Set REGISTRY_LOG_DIR, REGISTRY_LOG_KEY_FILE and TRUTH_FILE.');
  const { directory } = config.registryLog;
  const writer = await runningWriter(directory);
  if (writer !== null) return alreadyWritten(directory, writer);

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
    const result = await registryLog.write();
    if (!result) throw new Error('There is nothing to write to.');
    if ('writer' in result) return alreadyWritten(directory, result.writer);
    const { events, head } = result;
    const what = `${events.toLocaleString('en')} ${events === 1 ? 'event' : 'events'}`;
    const end =
      head.height === 0 ? 'has no block yet' : `ends with block ${head.height}, ${head.id}`;
    return `${events === 0 ? 'Nothing new' : `Wrote ${what}`}. The log in ${directory} ${end}.`;
  } finally {
    await registryLog.stop();
    await database.close();
  }
});

const alreadyWritten = (directory: string, writer: number): string =>
  `Process ${writer} is running and writes the log in ${directory} itself. There is nothing to do.`;
