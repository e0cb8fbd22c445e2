import { GlobePainter, type Frame } from './globe-painter.client.ts';
import type { Pulse } from './pulses.client.ts';

/** Draws the globe in a thread of its own: a frame takes longer than the page may be busy. */

/** The canvases come first, once. */
export type GlobeRequest = { canvases: OffscreenCanvas[] } | { frame: Frame } | { pulse: Pulse };

/** See PainterListener. */
export type GlobeAnswer = { ms: number } | { land: Uint8Array<ArrayBuffer> | null };

const answer = (message: GlobeAnswer, transfer: Transferable[] = []) =>
  postMessage(message, { transfer });

let painter: GlobePainter | undefined;
addEventListener('message', ({ data }: MessageEvent<GlobeRequest>) => {
  if ('canvases' in data)
    painter = new GlobePainter(data.canvases, {
      onPainted: (ms) => answer({ ms }),
      onLand: (land) => answer({ land }, land ? [land.buffer] : []),
    });
  else if ('frame' in data) painter?.paint(data.frame);
  else painter?.pulse(data.pulse);
});
