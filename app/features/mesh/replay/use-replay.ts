import { useEffect, useState } from 'react';
import { useLatest } from '#app/lib/polling.ts';
import { useDebouncedUrl } from '#app/lib/use-debounced-url.ts';
import type { PlaceHistory } from '@mesh-registry/protocol/rest/history.schema.ts';
import type { Place } from '#server/mesh/places.schema.ts';
import { NO_FILTER, type ReplayQuery } from '#server/mesh/mesh-query.schema.ts';
import { createPlaceFilter } from '../place-filter.ts';
import {
  loadSteps,
  loadTotals,
  placesOf,
  stepAt,
  stepTime,
  StepStore,
  untilNextStep,
  type Past,
  type Totals,
} from './steps.ts';

/** How long a step is shown at the usual speed, ms: two days a second. */
const STEP_MS = 500;
export const SPEEDS = [1, 4, 16] as const;
export type Speed = (typeof SPEEDS)[number];
/** Steps that are loaded ahead. */
const AHEAD = 8;
/** How long the slider rests before its moment is in the URL, ms. */
const REST_MS = 400;

const NO_TOTALS: ReadonlyMap<string, Totals> = new Map();
const EVERYTHING = createPlaceFilter(NO_FILTER);

const NOTHING = { history: null, totals: NO_TOTALS };

/** Why something isn't shown. */
type Problem = 'offline' | 'failed';
const problemNow = (): Problem => (navigator.onLine ? 'failed' : 'offline');

export type Replayed = ReturnType<typeof useReplay>;

/** Which step is shown, and its playback. Nothing is shown before it is loaded, so a slow network slows it down. */
export function useReplay(
  { span, at }: ReplayQuery,
  onShow: (past: Past) => void,
  hrefOf: (replay: ReplayQuery) => string,
) {
  const [store] = useState(() => new StepStore());
  const [loaded, setLoaded] = useState<{
    span: string;
    history: PlaceHistory;
    totals: ReadonlyMap<string, Totals>;
  } | null>(null);
  const [chosen, setChosen] = useState(at);
  const [speed, setSpeed] = useState<Speed>(1);
  // Opened without a moment it plays by itself, unless motion is unwelcome.
  const [playing, setPlaying] = useState(
    () => at === null && !matchMedia('(prefers-reduced-motion: reduce)').matches,
  );
  const [shown, setShown] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [attempt, setAttempt] = useState(0);
  const latestShow = useLatest(onShow);

  const { history, totals } = loaded?.span === span ? loaded : NOTHING;
  const steps = history?.steps ?? [];
  const last = steps.length - 1;
  const index = stepAt(steps, chosen, playing);
  const step = steps[index];
  const key = step ? `${span} ${step.at}` : null;

  // Another span, from a link or the switch, begins at its own moment.
  const [spanBefore, setSpanBefore] = useState(span);
  if (span !== spanBefore) {
    setSpanBefore(span);
    setChosen(at);
    setProblem(null);
  }

  useEffect(() => {
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = () =>
      Promise.all([loadSteps(span), loadTotals(span).catch(() => NO_TOTALS)]).then(
        ([history, totals]) => {
          if (left) return;
          store.clear();
          setLoaded({ span, history, totals });
          setProblem(null);
          timer = setTimeout(() => void load(), untilNextStep(history.to, Date.now()));
        },
        () => !left && setProblem(problemNow()),
      );
    void load();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [span, store, attempt]);

  useEffect(() => {
    if (!step || key === null) return;
    let left = false;
    const show = (places: Place[], nodes: number | null) => {
      latestShow.current({
        time: stepTime(span, step),
        totals: totals.get(step.at) ?? null,
        shown: { filter: EVERYTHING, places, past: true },
        nodes: nodes ?? 0,
        measured: nodes !== null,
      });
      setShown(key);
      setProblem(null);
    };
    if (step.nodes === null) show([], null);
    else
      store.load(span, step.at).then(
        (places) => !left && show(placesOf(places), step.nodes),
        () => {
          if (left) return;
          setPlaying(false);
          setProblem(problemNow());
        },
      );
    return () => {
      left = true;
    };
    // oxlint-disable-next-line react/exhaustive-deps -- The list is read again now and then; the step stays the same.
  }, [key, step?.nodes, totals, span, store, attempt, latestShow]);

  // What comes next is loaded once this step is here.
  useEffect(() => {
    if (shown !== key || problem !== null) return;
    for (const next of steps.slice(index + 1, index + 1 + AHEAD))
      if (next.nodes !== null) store.load(span, next.at).catch(() => undefined);
    // oxlint-disable-next-line react/exhaustive-deps -- The list is read again now and then; its steps stay the same.
  }, [shown, key, problem, index, span, store]);

  const settled = shown === key && key !== null;
  const following = steps[index + 1]?.at;
  useEffect(() => {
    if (!playing || !settled) return;
    const timer = setTimeout(() => {
      if (following === undefined) setPlaying(false);
      else setChosen(Date.parse(following));
    }, STEP_MS / speed);
    return () => clearTimeout(timer);
  }, [playing, settled, following, speed]);

  const moved = !playing && chosen !== null && chosen !== at;
  const { changed, stop } = useDebouncedUrl(REST_MS, () =>
    moved ? hrefOf({ span, at: chosen }) : null,
  );
  useEffect(() => {
    if (!moved) return;
    changed();
    return stop;
  }, [moved, chosen, at, span, changed, stop]);

  const again = () => setAttempt((attempt) => attempt + 1);
  useEffect(() => {
    if (problem === null) return;
    window.addEventListener('online', again);
    return () => window.removeEventListener('online', again);
  }, [problem]);

  return {
    history,
    steps,
    /** The step that the slider is at. */
    index,
    step,
    /** By the start of a step. */
    totals,
    /** What the map shows is of an earlier position of the slider. */
    loading: !settled && problem === null,
    problem,
    playing,
    speed,
    /** @param index beyond an end it is that end */
    moveTo: (index: number) => {
      setPlaying(false);
      const to = steps[Math.min(last, Math.max(0, index))];
      if (to) setChosen(Date.parse(to.at));
    },
    setPlaying: (playing: boolean) => {
      // At the end it plays from the beginning.
      if (playing && index === last && steps[0]) setChosen(Date.parse(steps[0].at));
      else if (!playing && step) setChosen(Date.parse(step.at));
      setPlaying(playing);
    },
    setSpeed,
    retry: () => {
      setProblem(null);
      again();
    },
  };
}
