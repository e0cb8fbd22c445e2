import type { ServiceContext } from '#server/context.ts';
import { digest, eventFrom, type EventFrame } from '#server/live/index.ts';
import type { NodeDetails } from './details.ts';

/** Identifies what is known about a node, whenever and by whichever server it was asked. */
export const detailsTag = ({ updatedAt: _, ...details }: NodeDetails): string =>
  digest(JSON.stringify(details));

/**
 * What is known about single nodes, as events: at most one a second, and only if something has changed. All who follow
 * the same node share the work and the bytes.
 * @param detailsAt what is known about a node at a moment (ms)
 */
export function nodeChanges(
  { ticker }: Pick<ServiceContext, 'ticker'>,
  detailsAt: (id: string, now: number) => NodeDetails,
) {
  /** The events of this tick, by node: all streams wake in one turn of the event loop. */
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
