import type { DayStrip } from '#server/uptime/index.ts';
import { STRIP_GAP, stripShapes, type StripSize } from './strip-shapes.ts';
import styles from './uptime-strip.module.css';

/** Where a strip stands: on a page (90 days), in the map's rail, or in the row of a list (30 days). */
type Place = 'page' | 'rail' | 'row';

const SIZES: Record<Place, StripSize & { column: number }> = {
  page: { bar: 30, loss: 12.5, column: 0.6 },
  rail: { bar: 18, loss: 6.5, column: 0.7 },
  row: { bar: 14, loss: 4.5, column: 0.8 },
};

export interface UptimeStripProps extends Pick<DayStrip, 'offline'> {
  place: Place;
  /** What it shows, in words; without them the words are beside it. */
  label?: string | undefined;
}

/**
 * The days of a node as bars, the oldest at the left. A day that was whole is pale, one with an outage is full and has its
 * loss below the line, and one without measurements is a dash. A place sets its size.
 */
export function UptimeStrip({ offline, place, label }: UptimeStripProps) {
  const { column, ...size } = SIZES[place];
  const { whole, unknown, part, track, loss, dash, dashHeight } = stripShapes(
    offline,
    size,
    column,
  );
  return (
    <svg
      className={`${styles.strip} ${styles[place]}`}
      viewBox={`0 0 ${offline.length} ${size.bar + STRIP_GAP + size.loss}`}
      preserveAspectRatio="none"
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      {whole && (
        <path className={styles.whole} d={whole} strokeWidth={size.bar} strokeDasharray={dash} />
      )}
      {unknown && (
        <path
          className={styles.unknown}
          d={unknown}
          strokeWidth={dashHeight}
          strokeDasharray={dash}
        />
      )}
      {track && <path className={styles.track} d={track} />}
      {part && <path className={styles.part} d={part} />}
      {loss && <path className={styles.loss} d={loss} />}
    </svg>
  );
}
