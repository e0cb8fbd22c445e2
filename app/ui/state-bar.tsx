import type { ComputeStatus, PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import { stateColor } from './state-glyph.tsx';
import styles from './state-bar.module.css';

type State = PeerStatus | ComputeStatus;

/** A gap between two parts, and the least width of a part, per cent of the bar. */
const GAP = 0.6;
const MIN_WIDTH = 0.3;

/**
 * Counts by state as the parts of one bar, in the order given. Beside words that say the same, so screen
 * readers skip it. An SVG, because the page's policy forbids inline styles.
 */
export function StateBar<S extends State>({
  counts,
}: {
  counts: readonly (readonly [S, number])[];
}) {
  const total = counts.reduce((sum, [, n]) => sum + n, 0);
  const share = (n: number) => (n / total) * 100;
  const parts = counts
    .filter(([, n]) => n > 0)
    .map(([state, n], index, all) => ({
      state,
      x: all.slice(0, index).reduce((sum, [, before]) => sum + share(before), 0),
      width: Math.max(share(n) - GAP, MIN_WIDTH),
    }));
  return (
    <svg
      className={styles.bar}
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      aria-hidden
      fill="currentColor"
    >
      {parts.map(({ state, ...part }) => (
        <rect key={state} className={stateColor(state)} {...part} height="6" />
      ))}
    </svg>
  );
}
