import { digest } from '../answers/answer.ts';
import { eventFrom, type EventFrame } from './change-stream.ts';
import type { Ticker } from './ticker.ts';

/** What is known about one thing, as of one moment. */
interface Details {
  updatedAt: string;
}

/** Identifies details, whenever and by whichever server they were asked for. */
export const detailsTag = ({ updatedAt: _, ...details }: Details): string =>
  digest(JSON.stringify(details));

/**
 * What is known about single things, as events: at most one a second, and only if something has changed. All who follow
 * the same one share the work and the bytes.
 * @param detailsAt what is known about one at a moment (ms)
 */
export function followed(ticker: Ticker, detailsAt: (id: string, now: number) => Details) {
  /** The events of this tick, by what they are about: all streams wake in one turn of the event loop. */
  const frames = new Map<string, EventFrame<never, never>>();

  function frameAt(id: string, now: number): EventFrame<never, never> {
    if (frames.size === 0) setImmediate(() => frames.clear());
    let frame = frames.get(id);
    if (!frame) {
      const details = detailsAt(id, now);
      frame = eventFrom(detailsTag(details), [Buffer.from(JSON.stringify(details))]);
      frames.set(id, frame);
    }
    return frame;
  }

  /** @param lastEventId the tag of what is known already. Ends when `signal` aborts or the server stops. */
  return async function* follow(
    id: string,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<EventFrame<never, never>> {
    for (let known = lastEventId; ;) {
      const now = await ticker.next(signal);
      if (now === null) return;
      const frame = frameAt(id, now);
      if (frame.id === known) continue;
      known = frame.id;
      yield frame;
    }
  };
}
