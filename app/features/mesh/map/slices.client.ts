/** Longest time spent drawing within one frame (ms). The next frame continues. */
const SLICE_MS = 8;

/** Runs the steps, which yield wherever they may be interrupted, in slices of a frame until the signal aborts. */
export function runInSlices(steps: Generator<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const slice = () => {
      const until = performance.now() + SLICE_MS;
      while (!signal.aborted && !steps.next().done)
        if (performance.now() > until) return void requestAnimationFrame(slice);
      resolve();
    };
    slice();
  });
}
