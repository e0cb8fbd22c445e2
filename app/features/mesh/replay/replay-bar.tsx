import { useEffect, useRef, type KeyboardEvent } from 'react';
import button from '#app/ui/button.module.css';
import { SegmentedButtons } from '#app/ui/segmented.tsx';
import {
  isFiltered,
  meshHref,
  type MeshQuery,
  type ReplayQuery,
} from '#server/mesh/mesh-query.schema.ts';
import { GrowthCurve } from './growth-curve.tsx';
import styles from './replay-bar.module.css';
import {
  edgeTimes,
  nextTime,
  nodesOf,
  SPANS,
  stepCount,
  stepTime,
  totalsText,
  type Past,
} from './steps.ts';
import { SPEEDS, useReplay, type Replayed } from './use-replay.ts';

export interface ReplayBarProps {
  query: MeshQuery & { replay: ReplayQuery };
  /** Shows another time, or once it is over, the present again. */
  onShow: (past: Past | null) => void;
  /** Another moment, for the URL. Null: back to the present. */
  onMove: (replay: ReplayQuery | null) => void;
}

/** A day is one of UTC everywhere on the site; a listener hears it. */
const UTC = { '90d': ' (UTC)', '24h': '' } as const;
/** How many steps Page Up and Page Down move: a week, or an hour. */
const PAGE = { '90d': 7, '24h': 4 } as const;

/** Slider, curve and buttons of the replay, in the place of the line of life. */
export function ReplayBar({ query, onShow, onMove }: ReplayBarProps) {
  const { span } = query.replay;
  const replay = useReplay(query.replay, onShow, (replay) => meshHref({ ...query, replay }));
  const { history, steps, index, step, totals, problem } = replay;
  const leave = () => onMove(null);
  const slider = useRef<HTMLInputElement>(null);
  const ready = steps.length > 0;
  // The link that opened the replay is gone.
  useEffect(() => {
    if (ready && document.activeElement === document.body) slider.current?.focus();
  }, [ready]);
  const onSliderKey = (event: KeyboardEvent) => {
    const to = {
      PageUp: index + PAGE[span],
      PageDown: index - PAGE[span],
      ' ': null,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to === null) replay.setPlaying(!replay.playing);
    else replay.moveTo(to);
  };
  const values = steps.map(({ at, nodes }) => {
    const known = totals.get(at);
    return known ? nodesOf(known) : nodes;
  });
  return (
    <section
      className={styles.bar}
      aria-label="Replay"
      onKeyDown={({ key }) => key === 'Escape' && leave()}
    >
      {ready && <PlayButton {...replay} />}
      <Now replay={replay} span={span} filtered={isFiltered(query)} />
      {problem ? (
        <p className={styles.problem} role="alert">
          {problem === 'offline'
            ? 'You’re offline. This continues once you’re connected.'
            : 'This moment couldn’t be loaded.'}{' '}
          <button type="button" className={button.link} onClick={replay.retry}>
            Try again
          </button>
        </p>
      ) : (
        // While it loads the bar has its height already; without any history there is nothing to slide.
        (ready || !history) && (
          <div className={styles.timeline}>
            {history && ready && (
              <>
                <GrowthCurve values={values} index={index} />
                <input
                  ref={slider}
                  type="range"
                  aria-label="Time"
                  aria-valuetext={step && `${stepTime(span, step)}${UTC[span]}, ${stepCount(step)}`}
                  min={0}
                  max={Math.max(1, steps.length - 1)}
                  value={index}
                  onChange={({ target }) => replay.moveTo(Number(target.value))}
                  onKeyDown={onSliderKey}
                />
                <p className={styles.edges} aria-hidden>
                  {edgeTimes(span, steps).map((time, n) => (
                    <span key={n}>{time}</span>
                  ))}
                </p>
              </>
            )}
          </div>
        )
      )}
      <SegmentedButtons
        label="Period"
        className={styles.spans}
        segments={(['24h', '90d'] as const).map((other) => ({
          id: other,
          text: other === '24h' ? '24 h' : '90 d',
          title: SPANS[other].text,
          chosen: span === other,
          onClick: () => onMove({ span: other, at: null }),
        }))}
      />
      {ready && <SpeedChoice {...replay} />}
      <button type="button" className={`${button.button} ${styles.live}`} onClick={leave}>
        Back to live
      </button>
    </section>
  );
}

/** When, and how the network was then. */
function Now({
  replay: { history, steps, step, totals, loading },
  span,
  filtered,
}: {
  replay: Replayed;
  span: ReplayQuery['span'];
  filtered: boolean;
}) {
  const known = step && totals.get(step.at);
  return (
    <div className={styles.now} data-span={span}>
      <p className={styles.time}>
        <span className="visually-hidden">Not live: </span>
        {step ? stepTime(span, step) : history ? 'No history yet' : 'Loading history…'}
      </p>
      <p className={styles.count} data-loading={loading || undefined}>
        {step && (known ? totalsText(known) : stepCount(step))}
        {step?.nodes === null && ': the service was down.'}
        {step && step.nodes !== null && filtered && ', without your filters'}
        {history &&
          steps.length === 0 &&
          `The first quarter of an hour is recorded at ${nextTime(history.to)}.`}
      </p>
    </div>
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
        <path fill="currentColor" d={playing ? 'M6 4h3v12H6zM11 4h3v12h-3z' : 'M7 4.5v11l9-5.5z'} />
      </svg>
    </button>
  );
}

const SpeedChoice = ({ speed, setSpeed }: Replayed) => (
  <SegmentedButtons
    label="Speed"
    className={styles.spans}
    segments={SPEEDS.map((other) => ({
      id: String(other),
      text: `${other}×`,
      chosen: other === speed,
      onClick: () => setSpeed(other),
    }))}
  />
);
