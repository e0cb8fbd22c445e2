import { useCallback, useEffect, useMemo, useState } from 'react';
import type { TrendDay } from '#server/uptime/index.ts';
import { useDebouncedUrl } from '#app/lib/use-debounced-url.ts';
import type { DayPicker } from '#app/ui/day-picker.ts';
import { trendsHref, type TrendsQuery } from './trends-query.ts';

/** How long the chosen day rests before it is in the URL, ms. */
const REST_MS = 300;

/** The day that all charts show: the one under the pointer, or else the one that was chosen, or else the last one. */
export function useChosenDay(days: readonly TrendDay[], query: TrendsQuery): DayPicker {
  const [chosen, setChosen] = useState(query.day);
  const [pointed, setPointed] = useState<number | null>(null);
  // Back and forward, and links, choose too.
  const [before, setBefore] = useState(query.day);
  if (query.day !== before) {
    setBefore(query.day);
    setChosen(query.day);
  }
  const last = days.length - 1;
  const found = days.findIndex(({ day }) => day === chosen);
  const { changed, stop } = useDebouncedUrl(REST_MS, () =>
    chosen === query.day ? null : trendsHref({ ...query, day: chosen }),
  );
  useEffect(() => {
    if (chosen === query.day) return;
    changed();
    return stop;
  }, [chosen, query.day, changed, stop]);
  const choose = useCallback(
    (day: number | null) =>
      setChosen(day === null || day === last ? null : (days[day]?.day ?? null)),
    [days, last],
  );
  const shown = Math.min(last, pointed ?? (found < 0 ? last : found));
  return useMemo(
    () => ({ count: days.length, chosen: shown, point: setPointed, choose }),
    [days.length, shown, choose],
  );
}
