import { LandPainter, type LandRequest } from './land-painter.client.ts';

/** Draws the land in a thread of its own, because the outlines of the world are a lot of work. */

/** A number for each drawing, which comes back with it. */
export type NumberedRequest = LandRequest & { number: number };

export type LandAnswer =
  | { number: number; bitmap: ImageBitmap | null }
  /** More of the world has been loaded: the next drawing has it; or where land is, as the bits of a LandMask. */
  | { number: null; land?: Uint8Array<ArrayBuffer> };

const answer = (message: LandAnswer, transfer: Transferable[] = []) =>
  postMessage(message, { transfer });
const painter = new LandPainter(
  () => answer({ number: null }),
  (land) => answer({ number: null, land }, [land.buffer]),
);

let latest: NumberedRequest | undefined;
addEventListener('message', ({ data }: MessageEvent<NumberedRequest>) => {
  const idle = !latest;
  latest = data;
  if (idle) void paintLatest();
});

/** Requests that came while one was painted are outdated but for the last. */
async function paintLatest(): Promise<void> {
  while (latest) {
    const request = latest;
    // Lets newer requests in.
    await new Promise((resolve) => setTimeout(resolve));
    if (request !== latest) continue;
    const bitmap = await painter.paint(request);
    answer({ number: request.number, bitmap }, bitmap ? [bitmap] : []);
    if (request === latest) latest = undefined;
  }
}
