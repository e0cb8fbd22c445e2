import type { Logger } from 'pino';
import { checkBackup, LOG_PART, restoreInto, type Footer } from '#db/backup/index.ts';
import { loadConfig, type Config } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { createTruth, restoreBlocks } from '#server/network/index.ts';
import { run, summary, UsageError } from './command.ts';

/** `npm run restore`: a backup into the configured database. */

const USAGE = `npm run restore -- <file>
    restores a backup into the configured database, which must be empty and not in use; the blocks of the public log
    go to REGISTRY_LOG_DIR, if it is set
npm run restore -- --check <file>
    only checks that a backup is complete and unchanged`;

run(USAGE, async (args) => {
  const check = args[0] === '--check';
  const [file, ...rest] = check ? args.slice(1) : args;
  if (file === undefined || rest.length > 0 || file.startsWith('-'))
    throw new UsageError('Name one backup.');
  if (check) {
    const { header, footer } = await checkBackup(file);
    return `${file} is complete: ${summary(footer)}, of ${header.createdAt}.`;
  }
  const config = loadConfig();
  const log = createLog('error');
  const takeBlocks = config.registryLog && (await blockTaker(config, config.registryLog, log));
  const { header, footer } = await restoreInto(config, file, log, takeBlocks ?? undefined);
  const target = config.databaseUrl === undefined ? config.dataDir : 'PostgreSQL';
  return [
    `Restored ${summary(footer)}, of ${header.createdAt}, into ${target}, and compared every row.`,
    ...logNotes(config, footer),
  ].join('\n');
});

/** What puts blocks into the log of the configuration. */
async function blockTaker(
  config: Config,
  { directory }: NonNullable<Config['registryLog']>,
  log: Logger,
) {
  const truth = createTruth({ config, log, clock: Date.now });
  await truth.load();
  const trust = truth.trust();
  if (!trust) return null;
  return async (blocks: AsyncIterable<Buffer>) =>
    void (await restoreBlocks({ directory, trust }, blocks));
}

/** What the operator has to know of the public log. */
function logNotes({ registryLog }: Config, { tables }: Footer): string[] {
  const blocks = tables[LOG_PART]?.rows ?? 0;
  if (registryLog)
    return [
      blocks === 0
        ? 'The backup has no blocks of the public log. If there is a log, the service adds nothing to it before its blocks are here: npm run registry-log -- --recover URL.'
        : `The log in ${registryLog.directory} has the ${blocks.toLocaleString('en')} blocks of the backup. The service adds none before Genesis has the same last block, or you run npm run registry-log -- --recover URL, or -- --accept-head.`,
    ];
  return blocks === 0
    ? []
    : [
        `The ${blocks.toLocaleString('en')} blocks of the public log were left out: set REGISTRY_LOG_DIR, REGISTRY_LOG_KEY_FILE and TRUTH_FILE to restore them.`,
      ];
}
