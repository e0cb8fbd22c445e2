/**
 * Calls `over` once somebody else has not answered for `ms` milliseconds. If it was this process that was
 * held up (a machine that halts, a long turn of the event loop), the answer may have come in time and
 * only wait to be read: so what has arrived is read once more before the time counts as over.
 * @returns ends the wait
 */
export function onLimit(ms: number, over: () => void): () => void {
  let last: NodeJS.Immediate | undefined;
  // Immediates come after the event loop has read from its sockets.
  const timer = setTimeout(() => (last = setImmediate(over)), ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
}
