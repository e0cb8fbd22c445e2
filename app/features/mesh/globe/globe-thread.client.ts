import type { Frame, PainterListener } from './globe-painter.client.ts';
import type { GlobeAnswer, GlobeRequest } from './globe-worker.client.ts';
import { LAYERS } from './layers.ts';
import type { Pulse } from './pulses.client.ts';

/** Where the globe is painted. */
export interface GlobeThread {
  paint(frame: Frame): void;
  pulse(pulse: Pulse): void;
  /** Nothing is drawn any more. */
  stop(): void;
}

/** A worker that paints the globe on canvases in the element, or the page's own thread where there can't be one. */
export function startGlobeThread(host: HTMLElement, listener: PainterListener): GlobeThread {
  /** The last of everything, for a thread that takes over. */
  let frame: Frame | undefined;
  let thread: GlobeThread;
  const startOwn = () => {
    thread = ownThread(host, listener);
    if (frame) thread.paint(frame);
  };
  try {
    thread = workerThread(host, listener, startOwn);
  } catch {
    startOwn();
  }
  return {
    paint(next) {
      frame = { ...frame, ...next };
      thread.paint(next);
    },
    pulse: (pulse) => thread.pulse(pulse),
    stop: () => thread.stop(),
  };
}

/** Canvases at the lower end of the element, each of which one thread can have. */
function layersIn(host: HTMLElement) {
  const canvases = LAYERS.map(() => document.createElement('canvas'));
  host.prepend(...canvases);
  return {
    canvases: canvases.map((canvas) => canvas.transferControlToOffscreen()),
    remove: () => canvases.forEach((canvas) => canvas.remove()),
  };
}

/** @param onFailed some browsers refuse a worker by an event instead of an exception */
function workerThread(
  host: HTMLElement,
  { onPainted, onLand }: PainterListener,
  onFailed: () => void,
): GlobeThread {
  const worker = new Worker(new URL('./globe-worker.client.ts', import.meta.url), {
    type: 'module',
  });
  const { canvases, remove } = layersIn(host);
  const send = (request: GlobeRequest, transfer: Transferable[] = []) =>
    worker.postMessage(request, transfer);
  const stop = () => {
    worker.terminate();
    remove();
  };
  worker.onmessage = ({ data }: MessageEvent<GlobeAnswer>) => {
    if ('ms' in data) onPainted(data.ms);
    else onLand(data.land);
  };
  worker.onerror = () => {
    stop();
    onFailed();
  };
  send({ canvases }, canvases);
  return { paint: (frame) => send({ frame }), pulse: (pulse) => send({ pulse }), stop };
}

function ownThread(host: HTMLElement, listener: PainterListener): GlobeThread {
  const { canvases, remove } = layersIn(host);
  let stopped = false;
  const painter = import('./globe-painter.client.ts').then(
    ({ GlobePainter }) => new GlobePainter(canvases, listener),
  );
  const once = (act: (made: Awaited<typeof painter>) => void) =>
    void painter.then((made) => stopped || act(made));
  return {
    paint: (frame) => once((made) => made.paint(frame)),
    pulse: (pulse) => once((made) => made.pulse(pulse)),
    stop() {
      stopped = true;
      void painter.then((made) => made.stop());
      remove();
    },
  };
}
