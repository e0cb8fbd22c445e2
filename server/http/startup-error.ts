import { DirectoryInUseError } from '#db/lock.ts';
import { ConfigError } from '#server/config.ts';

/** Why a program of ours could not start, for the person at the terminal: a stack only where it is our mistake. */
export function explainProblem(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DirectoryInUseError) return error.message;
  if (error instanceof Error && 'code' in error) {
    if (error.code === 'EADDRINUSE')
      return 'The port is in use. Stop what listens there, or set PORT to another one.';
    if (error.code === 'EACCES')
      return `No permission: ${error.message}. Set PORT or DATA_DIR to one that this user may use.`;
    if (error.code === 'ECONNREFUSED' || error.code === 'CONNECT_TIMEOUT')
      return 'The database of DATABASE_URL does not answer. Is it running, and is the address right?';
    if (error.code === '28P01' || error.code === '28000')
      return 'The database of DATABASE_URL refuses the user or the password.';
    if (error.code === '3D000')
      return 'The database named in DATABASE_URL does not exist. Create it first (createdb).';
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
