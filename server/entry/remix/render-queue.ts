import { AppError } from '#server/common/errors.schema.ts';
import { TurnQueue } from '#server/common/turn-queue.ts';

/** How much of this process renderings of pages may take, and how long a page is given to others. Times in milliseconds. */
export const RENDERING = {
  rest: 3,
  burstMs: 400,
  longestMs: 50,
  stallMs: 10,
  /** Other requests count for this long. */
  busyMs: 1000,
  atOnce: 32,
  reserved: 4,
  waitMs: 2000,
  line: 64,
  places: 1024,
  /** A shared page is given to others for this long from the start of its rendering. */
  sharedMs: 1000,
  /**
   * So many requests for a URL within that time get a page of their own: whoever has just sent a heartbeat and looks sees it
   * on the page.
   */
  ownPages: 4,
  /** Beside other requests, a client gets so many pages of others at once, and then one each millisecond. */
  sharedAtOnce: 64,
};

export type RenderLimits = typeof RENDERING;

const RETRY_SECONDS = 2;

/** Where pages wait to be rendered. Nothing has been read or changed for one that is refused. */
export const createRenderQueue = (isBusy: () => boolean, limits: RenderLimits): TurnQueue =>
  new TurnQueue(
    isBusy,
    limits,
    () =>
      new AppError(
        'unavailable',
        'Many pages are being opened at the moment. Try again in a moment.',
        { retryAfter: RETRY_SECONDS, quiet: true },
      ),
  );
