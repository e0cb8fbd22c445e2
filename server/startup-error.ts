import { databaseCode } from '#db/connection/errors.ts';
import { DirectoryInUseError } from '#db/connection/lock.ts';
import { EmbeddedError } from '#db/embedded/index.ts';
import { HistoryError } from '#db/migrate.ts';
import { ConfigError } from '#server/config.ts';

/** Their messages say what to do. */
const EXPECTED = [ConfigError, DirectoryInUseError, EmbeddedError, HistoryError];

/** Explains to the person at the terminal why a program could not start. Only unexpected errors show a stack. */
export function explainStartupError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (EXPECTED.some((expected) => error instanceof expected)) return error.message;
  const code = databaseCode(error);
  if (code !== undefined) {
    if (code === 'EADDRINUSE')
      return 'The port is already in use. Stop the program that uses it, or set PORT to another one.';
    if (code === 'EACCES')
      return `Permission denied: ${error.message}. Set PORT or DATA_DIR to one that this user can access.`;
    if (code === 'EROFS' || code === 'ENOSPC')
      return `${code === 'EROFS' ? 'Read-only file system' : 'The disk is full'}: ${error.message}. Set DATA_DIR to a directory that can be written.`;
    if (code === 'ECONNREFUSED' || code === 'CONNECT_TIMEOUT')
      return 'The database in DATABASE_URL does not respond. Check that it is running and that the address is right.';
    if (code === '28P01' || code === '28000')
      return 'The database in DATABASE_URL rejects the user or the password.';
    if (code === '55P03')
      return 'The database could not be migrated, because another session keeps a table locked. End it (see pg_stat_activity), then start again.';
    if (code === '3D000')
      return 'The database named in DATABASE_URL does not exist. Create it first (createdb).';
  }
  return error.stack ?? error.message;
}
