import { DamagedLogError } from '@mesh-registry/protocol/log/segment.ts';
import { BackupError, LOG_PART, NotEmptyError, type Footer } from '#db/backup/index.ts';
import { ConfigError } from '#server/config.ts';
import { isAppError } from '#server/common/errors.schema.ts';
import { RegistryLogError } from '#server/network/index.ts';
import { explainStartupError } from '#server/startup-error.ts';

/** What the commands of this folder share. */

/** Wrong arguments. */
export class UsageError extends Error {}

/**
 * Runs a command with the arguments of this process; prints what it returns, if anything, or explains why it failed.
 * @param explainOther the message of an error that not every command has
 */
export function run(
  usage: string,
  command: (args: string[]) => Promise<string | void>,
  explainOther: (error: unknown) => string | undefined = explainFile,
): void {
  command(process.argv.slice(2)).then(
    (text) => {
      if (text !== undefined) console.log(text);
    },
    (error: unknown) => {
      console.error(explainOther(error) ?? explain(error, usage));
      process.exitCode = 1;
    },
  );
}

/** A file that the command was to read or write. */
function explainFile(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return error instanceof Error && (code === 'ENOENT' || code === 'EACCES' || code === 'ENOSPC')
    ? error.message
    : undefined;
}

function explain(error: unknown, usage: string): string {
  if (error instanceof UsageError) return `${error.message}\n\n${usage}`;
  if (
    error instanceof BackupError ||
    error instanceof NotEmptyError ||
    error instanceof RegistryLogError ||
    error instanceof DamagedLogError ||
    isAppError(error)
  )
    return error.message;
  if (error instanceof ConfigError)
    return `${error.message}\nThis command needs the same configuration as npm start.`;
  return explainStartupError(error);
}

/** `1,204 rows in 17 tables`. */
export function summary({ tables: { [LOG_PART]: log, ...tables } }: Footer): string {
  const counts = Object.values(tables).map(({ rows }) => rows);
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const blocks = log ? `, and ${log.rows.toLocaleString('en')} blocks of the public log,` : '';
  return `${rows.toLocaleString('en')} rows in ${counts.length} tables${blocks}`;
}
