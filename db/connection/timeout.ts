/**
 * Longest a unit of work (a statement or a transaction) may take, milliseconds, including the wait for
 * a connection. Its connection is cut then.
 */
export const UNIT_TIMEOUT_MS = 2500;

/** Longest a statement may run on the server, milliseconds: the server gives up before we do. */
export const STATEMENT_TIMEOUT_MS = UNIT_TIMEOUT_MS - 200;

/** When the server ends a transaction that nobody continues, milliseconds. */
export const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/**
 * Calls `expire` once the other side has not answered for `ms` milliseconds. If this process itself was
 * held up (a paused machine, a long turn of the event loop), the answer may have arrived in time and only
 * wait to be read, so sockets are read once more before the time counts as over.
 * @returns cancels the timeout
 */
export function onTimeout(ms: number, expire: () => void): () => void {
  let last: NodeJS.Immediate | undefined;
  // Immediates run after the event loop has read from its sockets.
  const timer = setTimeout(() => (last = setImmediate(expire)), ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
}
