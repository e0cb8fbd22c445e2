import { PEER_STATUSES, type PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import { count } from '#app/lib/formatters.ts';
import { stateColor, StateGlyph } from '#app/ui/state-glyph.tsx';
import styles from './vignettes.module.css';

/** Small pictures of live figures. What they show stands elsewhere in words, so screen readers skip them. */

/** Nodes by state, as the API answers them. */
export const CountsVignette = ({ counts }: { counts: Record<PeerStatus, number> }) => (
  <pre className={styles.vignette} aria-hidden>
    {PEER_STATUSES.map((status, n) => (
      <span key={status}>
        {n === 0 ? '{ ' : '  '}
        <i>&quot;{status}&quot;</i>: {counts[status]}
        {n === PEER_STATUSES.length - 1 ? ' }' : ','}
        {'\n'}
      </span>
    ))}
  </pre>
);

/** Where nodes are. */
export const DotsVignette = ({ dots }: { dots: Partial<Record<PeerStatus, string>> }) => (
  <div className={`${styles.vignette} ${styles.sea}`} aria-hidden>
    <svg viewBox="0 0 150 94">
      <path className={styles.graticule} d="M0 52H150M37.5 0V94M75 0V94M112.5 0V94" />
      {PEER_STATUSES.map((status) => {
        const path = dots[status];
        return (
          path && (
            <path key={status} className={stateColor(status)} stroke="currentColor" d={path} />
          )
        );
      })}
    </svg>
  </div>
);

/** What registrations are paid with: each is one fee, and one of them still waits. */
export const FeeVignette = ({ feeUsd }: { feeUsd: string }) => (
  <ul className={`${styles.vignette} ${styles.fees}`} aria-hidden>
    {(['online', 'idle', 'online'] as const).map((state, n) => (
      <li key={n}>
        <StateGlyph state={state} />
        <i />
        <b>${feeUsd}</b>
      </li>
    ))}
  </ul>
);

/** Size of the line (px). */
const [WIDTH, HEIGHT] = [124, 44];

/** Heartbeats in each second of the last minute. */
export function BeatsVignette({ beats }: { beats: number[] }) {
  const most = Math.max(1, ...beats);
  const step = WIDTH / Math.max(1, beats.length - 1);
  const path = beats
    .map((n, at) => `${(at * step).toFixed(1)} ${((1 - n / most) * (HEIGHT - 2) + 1).toFixed(1)}`)
    .join('L');
  return (
    <div className={styles.vignette} aria-hidden>
      <span className={styles.note}>{count(beats.at(-1) ?? 0)} / s</span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT}>
        {beats.length > 1 && (
          <>
            <path className={styles.area} d={`M0 ${HEIGHT}L${path}L${WIDTH} ${HEIGHT}Z`} />
            <path className={styles.line} d={`M${path}`} />
          </>
        )}
      </svg>
    </div>
  );
}
