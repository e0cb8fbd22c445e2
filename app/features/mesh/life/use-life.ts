import { useEffect, useState } from 'react';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { useClock } from '#app/lib/clock.ts';
import type { Growth } from '#server/uptime/index.ts';
import { BeatLog, type Bars } from './beats.ts';

/** What the server knew when it rendered the page. */
export interface LoadedLife {
  /** Heartbeats of each of the last seconds, oldest first. */
  beats: number[];
  growth: Growth;
}

interface Life {
  bars: Bars;
  /** Since the day began. `left` is null where it isn't known. */
  today: { joined: number; left: number | null };
}

const DAY_MS = 86_400_000;
const dayOf = (moment: number) => Math.floor(moment / DAY_MS);

/** Heartbeats a second, and who joined and left today, followed by the stream that the page has anyway. */
export function useLife(store: MeshStore, loaded: LoadedLife, total: number): Life {
  const clock = useClock();
  const [begin] = useState(() => ({
    log: new BeatLog(loaded.beats, Date.parse(store.head.updatedAt)),
    ...loaded.growth.today,
    total,
  }));
  const [bars, setBars] = useState<Bars>(() => begin.log.at(0, true));
  /** Nodes that were heard from for the first time, by the day; `since` as it was loaded. */
  const [fresh, setFresh] = useState({ day: dayOf(Date.parse(begin.since)), joined: 0 });

  useEffect(() => {
    const show = () => {
      const { state } = store.connection;
      setBars(begin.log.at(clock.now(), state === 'live' || state === 'starting'));
    };
    const unsubscribe = store.subscribe(({ beats, pulses }) => {
      if (beats === undefined) return;
      const now = Date.parse(store.head.updatedAt);
      begin.log.add(beats, now);
      show();
      const joined = pulses.filter(([, , , , label]) => label !== undefined).length;
      const day = dayOf(now);
      setFresh((fresh) =>
        fresh.day === day
          ? joined === 0
            ? fresh
            : { day, joined: fresh.joined + joined }
          : { day, joined },
      );
    });
    const stop = clock.subscribe(show);
    return () => {
      unsubscribe();
      stop();
    };
  }, [store, clock, begin]);

  // Another day has begun: what was loaded is of yesterday.
  if (fresh.day !== dayOf(Date.parse(begin.since)))
    return { bars, today: { joined: fresh.joined, left: null } };
  // Of many that join in one second the stream names a few, so at least as many did as there are more nodes.
  const joined = Math.max(fresh.joined, total - begin.total);
  const left = begin.left === null ? null : begin.left + begin.total + joined - total;
  return { bars, today: { joined: begin.joined + joined, left } };
}
