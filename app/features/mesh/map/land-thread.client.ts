import type { LandRequest } from './land-painter.client.ts';
import type { LandAnswer, NumberedRequest } from './land-worker.client.ts';

type OnLand = (bits: Uint8Array<ArrayBuffer>) => void;

/** Where the land is painted. */
export interface LandThread {
  /** Null if a later drawing was asked for meanwhile. */
  paint(request: LandRequest): Promise<ImageBitmap | null>;
  stop(): void;
}

/**
 * A worker that paints the land, or the page's own thread where there can't be one, as in a sandboxed frame.
 * @param onMore more of the world has been loaded: the next drawing has it
 * @param onLand where land is, as the bits of a LandMask
 */
export function startLandThread(onMore: () => void, onLand: OnLand): LandThread {
  let thread: LandThread;
  try {
    thread = workerThread(onMore, onLand, () => {
      thread = ownThread(onMore, onLand);
      onMore();
    });
  } catch {
    thread = ownThread(onMore, onLand);
  }
  return { paint: (request) => thread.paint(request), stop: () => thread.stop() };
}

/** @param onFailed some browsers refuse a worker by an event instead of an exception */
function workerThread(onMore: () => void, onLand: OnLand, onFailed: () => void): LandThread {
  const worker = new Worker(new URL('./land-worker.client.ts', import.meta.url), {
    type: 'module',
  });
  let number = 0;
  let resolveLast: ((bitmap: ImageBitmap | null) => void) | undefined;
  worker.onmessage = ({ data }: MessageEvent<LandAnswer>) => {
    if (data.number === null) {
      if (data.land) onLand(data.land);
      else onMore();
    } else if (data.number === number) resolveLast?.(data.bitmap);
    else data.bitmap?.close();
  };
  worker.onerror = () => {
    resolveLast?.(null);
    onFailed();
  };
  return {
    paint(request) {
      resolveLast?.(null);
      worker.postMessage({ ...request, number: ++number } satisfies NumberedRequest);
      return new Promise((resolve) => (resolveLast = resolve));
    },
    stop: () => worker.terminate(),
  };
}

function ownThread(onMore: () => void, onLand: OnLand): LandThread {
  const painter = import('./land-painter.client.ts').then(
    ({ LandPainter }) => new LandPainter(onMore, onLand),
  );
  return { paint: async (request) => (await painter).paint(request), stop: () => undefined };
}
