import { onTimeout } from '#db/timeout.ts';

/**
 * Work that has `ms` milliseconds, and no more than until `end`. Not AbortSignal.any() with an
 * AbortSignal.timeout(): nothing holds that one in Node 20, and once it is collected it never fires.
 * @param work is given the signal that ends it
 */
export async function withLimit<T>(
  ms: number,
  end: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const abort = () => limit.abort();
  const endWait = onTimeout(ms, abort);
  end.addEventListener('abort', abort);
  if (end.aborted) abort();
  try {
    return await work(limit.signal);
  } finally {
    endWait();
    end.removeEventListener('abort', abort);
  }
}
