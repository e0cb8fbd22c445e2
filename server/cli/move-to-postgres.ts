import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backupDirectory, BackupError, restoreInto } from '#db/backup/index.ts';
import { DirectoryInUseError } from '#db/lock.ts';
import { loadConfig } from '#server/config.ts';
import { run, summary, UsageError } from './command.ts';

/** `npm run move-to-postgres`: the embedded database into an empty PostgreSQL. The embedded one stays as it is. */

const USAGE = `DATABASE_URL=postgres://… npm run move-to-postgres
    copies the embedded database in DATA_DIR into the empty PostgreSQL database in DATABASE_URL`;

run(USAGE, async (args) => {
  if (args.length > 0) throw new UsageError('This command takes no arguments.');
  const config = loadConfig();
  if (config.databaseUrl === undefined) throw new UsageError('DATABASE_URL is missing.');
  const { footer } = await backupDirectory(config.dataDir, (bytes) =>
    restoreInto(config, bytes),
  ).catch((error: unknown) => {
    if (!(error instanceof DirectoryInUseError)) throw error;
    throw new BackupError(
      `The service is running on ${config.dataDir} (process ${error.pid}). Stop it first: what it still writes would be lost.`,
    );
  });
  const secret = join(config.dataDir, 'auth-secret');
  return [
    `Moved ${summary(footer)} into PostgreSQL, and compared every row.`,
    'Start the service with the same DATABASE_URL.',
    ...(config.authSecret === undefined && existsSync(secret)
      ? [`Set AUTH_SECRET to the contents of ${secret}: sessions and second factors depend on it.`]
      : []),
    `The embedded database in ${config.dataDir} is unchanged; delete it once you don't need it.`,
  ].join('\n');
});
