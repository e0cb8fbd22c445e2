import { useEffect, useRef, type RefObject } from 'react';
import { count } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import card from '#app/ui/card.module.css';
import {
  isFiltered,
  meshHref,
  type MeshQuery,
  type ReplayQuery,
} from '#server/mesh/mesh-query.schema.ts';
import { GrowthCurve } from './growth-curve.tsx';
import styles from './replay-bar.module.css';
import { edgeTime, nextTime, SPANS, stepCount, stepTime, type Past } from './steps.ts';
import { SPEEDS, useReplay, type Replayed } from './use-replay.ts';

export interface ReplayBarProps {
  query: MeshQuery & { replay: ReplayQuery };
  /** The element that covers the map's lower end. */
  bar: RefObject<HTMLDivElement>;
  /** Shows another time, or once it is over, the present again. */
  onShow: (past: Past | null) => void;
  /** Another moment, for the URL. Null: back to the present. */
  onMove: (replay: ReplayQuery | null) => void;
  /** How much of the map the bar covers may have changed. */
  onResize: () => void;
}

/** Slider, curve and buttons of the replay. */
export function ReplayBar({ query, bar, onShow, onMove, onResize }: ReplayBarProps) {
  const { span } = query.replay;
  const replay = useReplay(query.replay, onShow, (replay) => meshHref({ ...query, replay }));
  const { history, steps, index, step, loading, problem } = replay;
  const leave = () => onMove(null);
  const slider = useRef<HTMLInputElement>(null);
  const ready = steps.length > 0;
  // The link that opened the replay is gone.
  useEffect(() => {
    if (ready && document.activeElement === document.body) slider.current?.focus();
  }, [ready]);
  useEffect(() => {
    if (!bar.current) return;
    const resized = new ResizeObserver(onResize);
    resized.observe(bar.current);
    return () => resized.disconnect();
  }, [bar, onResize]);
  const most = Math.max(0, ...steps.map(({ nodes }) => nodes ?? 0));
  return (
    <section
      ref={bar}
      className={`${card.floating} ${styles.bar}`}
      aria-label="Replay"
      onKeyDown={({ key }) => key === 'Escape' && leave()}
    >
      <div className={styles.head}>
        <div className={styles.now}>
          <p className={styles.time}>
            <span className={styles.badge}>Not live</span>{' '}
            {step ? stepTime(span, step) : history ? 'No history yet' : 'Loading history…'}
          </p>
          <p className={styles.count} data-loading={loading || undefined}>
            {step && stepCount(step)}
            {step?.nodes === null && ': the service was away.'}
            {step && step.nodes !== null && isFiltered(query) && ', without your filters'}
            {history &&
              !ready &&
              `The first quarter of an hour is recorded at ${nextTime(history.to)}.`}
          </p>
        </div>
        <div className={styles.spans} role="group" aria-label="Period">
          {(['24h', '90d'] as const).map((other) => (
            <button
              key={other}
              type="button"
              aria-pressed={span === other}
              onClick={() => onMove({ span: other, at: null })}
            >
              {SPANS[other].text}
            </button>
          ))}
        </div>
        <SpeedSelect {...replay} />
        <button type="button" className={`${button.primary} ${styles.live}`} onClick={leave}>
          Back to live
        </button>
      </div>
      {problem && (
        <p className={styles.problem} role="alert">
          {problem === 'offline'
            ? 'You’re offline. This continues once you’re connected.'
            : 'This moment couldn’t be loaded.'}{' '}
          <button type="button" className={button.link} onClick={replay.retry}>
            Try again
          </button>
        </p>
      )}
      {history && ready && (
        <div className={styles.player}>
          <PlayButton {...replay} />
          <div className={styles.timeline}>
            <GrowthCurve steps={steps} index={index} />
            <input
              ref={slider}
              type="range"
              aria-label="Time"
              aria-valuetext={step && `${stepTime(span, step)}, ${stepCount(step)}`}
              min={0}
              max={Math.max(1, steps.length - 1)}
              value={index}
              onChange={({ target }) => replay.moveTo(Number(target.value))}
            />
            <p className={styles.edges} aria-hidden>
              <span>
                {steps.length < SPANS[span].steps && 'History begins '}
                {edgeTime(span, history.from)}
              </span>
              <span className={styles.peak}>Peak {count(most)}</span>
              <span>{edgeTime(span, steps.at(-1)?.at ?? history.to)}</span>
            </p>
          </div>
        </div>
      )}
    </section>
  );
}

function PlayButton({ playing, setPlaying }: Replayed) {
  return (
    <button
      type="button"
      className={styles.play}
      aria-label={playing ? 'Pause' : 'Play'}
      onClick={() => setPlaying(!playing)}
    >
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden>
        <path
          fill="currentColor"
          d={playing ? 'M5 4h4v12H5zM11 4h4v12h-4z' : 'M6 3.5v13l11-6.5z'}
        />
      </svg>
    </button>
  );
}

function SpeedSelect({ speed, setSpeed }: Replayed) {
  return (
    <select
      className={styles.speed}
      aria-label="Speed"
      value={speed}
      onChange={({ target }) =>
        setSpeed(SPEEDS.find((speed) => String(speed) === target.value) ?? 1)
      }
    >
      {SPEEDS.map((speed) => (
        <option key={speed} value={speed}>
          {speed}×
        </option>
      ))}
    </select>
  );
}
