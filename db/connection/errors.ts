/** What an error of the database means, by SQLSTATE or the driver's code: messages and constraint names vary. */

/** The server refuses writes: it is a standby, or was the primary until now. */
export const READ_ONLY = '25006';
/** The server has no disk space left. */
export const STORAGE_FULL = '53100';
/** A file could not be read or written: the disk fails, or is gone. */
const IO_ERROR = '58030';
/** A pooler does not let a client set something for its session. */
const PROTOCOL_VIOLATION = '08P01';
/** A statement prepared by name is not there, or there already: the pooler has given us another session. */
const OTHER_SESSION = ['26000', '42P05'];

/** Errors that another attempt may not meet again. */
const TRANSIENT = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '53300', // too many connections
  '57P01', // the server is shutting down
  '57P02', // the server crashed
  '57P03', // the server is starting up
  '57014', // statement timeout
  IO_ERROR,
  READ_ONLY, // until we reach the new primary
  '25P03', // idle in transaction timeout
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // a unix socket that does not exist yet
]);

/** SQLSTATEs and driver codes are upper case; the codes of our own errors are not. */
const DATABASE_CODE = /^[A-Z0-9_]+$/;

/** The SQLSTATE or driver code of an error. Drizzle puts the driver's error under `cause`. */
export function databaseCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string' && DATABASE_CODE.test(at.code)) return at.code;
  return undefined;
}

/** True if the same work may succeed when it is tried again: a conflict, or an unavailable database. */
export function isTransient(error: unknown): boolean {
  const code = databaseCode(error);
  return code !== undefined && (TRANSIENT.has(code) || code.startsWith('08'));
}

/** True if the database takes no more data until somebody makes room. */
export const isStorageFull = (error: unknown): boolean => databaseCode(error) === STORAGE_FULL;

/** Errors that say that a server is not there, or not yet: nothing has reached it. */
const ABSENT = ['ECONNREFUSED', 'ENOENT', '57P03'];

/** True if no server has listened to us. */
export const isAbsent = (error: unknown): boolean => ABSENT.includes(databaseCode(error) ?? '');

/** True if a pooler between us and the server shares sessions between clients, and we have relied on one of our own. */
export function isSharedSession(error: unknown): boolean {
  const code = databaseCode(error) ?? '';
  const refused = code === PROTOCOL_VIOLATION && /startup parameter/.test((error as Error).message);
  return refused || OTHER_SESSION.includes(code);
}

/** Why there is no embedded PostgreSQL, in a sentence for the person who starts the service. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
}
