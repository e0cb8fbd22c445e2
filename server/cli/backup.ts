import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backup, writeBackup } from '#db/backup/index.ts';
import { loadConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import { blocksForBackup } from '#server/network/index.ts';
import { run, summary, UsageError } from './command.ts';

/** `npm run backup`: a backup of the configured database, while the service runs or not. */

const USAGE = `npm run backup -- [file or directory]
    writes a backup of the database, and of the public log if REGISTRY_LOG_DIR is set, also while the service runs;
    without a name, to mesh-registry-<time>.backup.gz in this directory`;

run(USAGE, async ([path = '.', ...rest]) => {
  if (rest.length > 0 || path.startsWith('-')) throw new UsageError('Name one file or directory.');
  const config = loadConfig();
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const file = isDirectory ? join(path, `mesh-registry-${time}.backup.gz`) : path;

  const directory = config.registryLog?.directory;
  const footer = await backup(
    config,
    (bytes) => writeBackup(file, bytes),
    createLog('error'),
    directory === undefined ? undefined : (end) => blocksForBackup(directory, end),
  );
  const size = (statSync(file).size / 1e6).toFixed(1);
  const secret = join(config.dataDir, 'auth-secret');
  return [
    `Backed up ${summary(footer)} to ${file} (${size} MB), and checked the file.`,
    ...(config.authSecret === undefined && existsSync(secret)
      ? [`Keep a copy of ${secret} too: second factors are encrypted with it.`]
      : []),
  ].join('\n');
});
