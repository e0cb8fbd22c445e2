import { checkBackup, restoreInto } from '#db/backup/index.ts';
import { loadConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { run, summary, UsageError } from './command.ts';

/** `npm run restore`: a backup into the configured database. */

const USAGE = `npm run restore -- <file>
    restores a backup into the configured database, which must be empty and not in use
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
  const { header, footer } = await restoreInto(config, file, createLog('error'));
  const target = config.databaseUrl === undefined ? config.dataDir : 'PostgreSQL';
  return `Restored ${summary(footer)}, of ${header.createdAt}, into ${target}, and compared every row.`;
});
