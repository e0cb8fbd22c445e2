import { stateColor, StateGlyph, type GlyphState } from './state-glyph.tsx';
import styles from './status-icon.module.css';
import { HALO, STAR_PATH } from './status-shapes.ts';

export function GenesisIcon() {
  return (
    <svg
      className={`${styles.icon} ${stateColor('genesis')}`}
      viewBox="-16 -16 32 32"
      width="24"
      height="24"
      aria-hidden
    >
      <circle r={HALO} fill="currentColor" opacity="0.2" />
      <circle r={HALO} fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d={STAR_PATH} fill="currentColor" />
    </svg>
  );
}

/** A status with its shape: "● online". @param word replaces the name of the status */
export function Status({ status, word = status }: { status: GlyphState; word?: string }) {
  return (
    <span className={styles.status}>
      <StateGlyph state={status} />
      {word}
    </span>
  );
}

/** Something is right. Beside words that say so. */
export const Tick = () => (
  <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden>
    <path d="M2.5 8.5l3.5 3.5 7.5-8" fill="none" stroke="currentColor" strokeWidth="2" />
  </svg>
);
