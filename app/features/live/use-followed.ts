import { useEffect, useState } from 'react';
import { useClock } from '#app/lib/clock.ts';
import { usePageRefresh, useReload } from '#app/lib/page-refresh.ts';
import { type Connection, useLatest } from '#app/lib/polling.ts';
import type { MaybeStale } from '#app/lib/stale-while-offline.ts';
import { followOne } from './follow-one.ts';

/** Uptime and outages are counted by the quarter of an hour (ms). */
const RELOAD_MS = 900_000;

interface FollowedPage<Details> {
  /** The subscription, such as `mesh.nodeChanges`. */
  procedure: string;
  /** Which thing it is, as the subscription is asked for it. */
  subject: Record<string, string>;
  /** How soon the page is loaded again (ms) instead; null: it is not. */
  pollMs: number | null;
  /** Whether there can be anything to follow. */
  follows?: boolean;
  /** What the page shows around the live values: a change of it needs more than the stream tells. */
  frameOf: (details: Details) => string;
}

/**
 * The page of one thing: the event stream of that thing brings what has changed, and the rest is loaded again where a change
 * touches it.
 * @returns what is newer than what was loaded; null: nothing is
 */
export function useFollowed<Details extends { updatedAt: string }>(
  loaded: Details & MaybeStale & { tag: string },
  { procedure, subject, pollMs, follows = true, frameOf }: FollowedPage<Details>,
): { details: Details | null; connection: Connection } {
  const { tag, stale } = loaded;
  const key = JSON.stringify(subject);
  const clock = useClock();
  const [followed, setFollowed] = useState<{ key: string; details: Details } | null>(null);
  const [stream, setStream] = useState<Connection>({ state: 'starting' });
  const polled = usePageRefresh(loaded, pollMs);
  const reload = useLatest(useReload());
  const latest = useLatest({ loaded, frameOf });
  const polls = pollMs !== null;

  useEffect(() => {
    if (polls || !follows) return;
    const loadedAt = Date.now();
    const from = { procedure, subject: JSON.parse(key) as Record<string, string>, tag };
    return followOne<Details>(from, {
      changed(details) {
        clock.set(Date.parse(details.updatedAt));
        setFollowed({ key, details });
        const old = Date.now() - loadedAt > RELOAD_MS;
        const { loaded, frameOf } = latest.current;
        if (old || frameOf(details) !== frameOf(loaded)) reload.current();
      },
      connected() {
        setStream({ state: 'live' });
        if (latest.current.loaded.stale) reload.current();
      },
      lost: () =>
        setStream((before) =>
          before.state === 'stale' ? before : { state: 'stale', asOf: clock.now() },
        ),
    });
    // Loaded again, the stream goes on from there.
  }, [procedure, key, tag, polls, follows, clock, latest, reload]);

  const isNewer = followed?.key === key && followed.details.updatedAt > loaded.updatedAt;
  return {
    details: isNewer ? followed.details : null,
    connection: polls || stale ? polled : stream,
  };
}
