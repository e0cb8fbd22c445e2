/** Resolves with true after `ms`, or at once with false when the signal aborts. Leaves no listener behind. */
export const pause = (ms: number, signal?: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve(false);
    const end = (whole: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(whole);
    };
    const abort = () => end(false);
    const timer = setTimeout(() => end(true), ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
