import { onTimeout } from '#db/connection/timeout.ts';

/**
 * Runs work that is aborted after `ms` milliseconds, or earlier when `end` aborts. This is not
 * AbortSignal.any() with AbortSignal.timeout(): in Node 20 nothing keeps a reference to the latter, and once it
 * is garbage-collected it never fires.
 * @param work gets the signal that aborts it
 */
export async function withTimeout<T>(
  ms: number,
  end: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const cancel = onTimeout(ms, abort);
  end.addEventListener('abort', abort);
  if (end.aborted) abort();
  try {
    return await work(controller.signal);
  } finally {
    cancel();
    end.removeEventListener('abort', abort);
  }
}

/** Waits for work, but no longer than `ms` milliseconds: it goes on then. @throws what the work throws in time */
export async function inTime(ms: number, work: Promise<void>): Promise<void> {
  let cancel = () => {};
  const late = new Promise<void>((resolve) => (cancel = onTimeout(ms, resolve)));
  await Promise.race([work, late]).finally(cancel);
}
