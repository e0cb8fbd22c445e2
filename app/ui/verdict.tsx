import type { ReactNode } from 'react';
import { StateGlyph, type GlyphState } from './state-glyph.tsx';
import styles from './verdict.module.css';

interface VerdictProps {
  state: GlyphState;
  /** What the state is of, where a page has several verdicts. They are a little smaller. */
  of?: string;
  /** The state in a few words. */
  title: ReactNode;
  /** What that means, in a sentence. */
  text: ReactNode;
  /** Whether it may change while the page is open: screen readers are told. */
  live?: boolean;
  /** Its figures, at the right. */
  children?: ReactNode;
}

/** How things are, in a few words: it comes before its evidence. */
export function Verdict({ state, of, title, text, live = false, children }: VerdictProps) {
  return (
    <section
      className={`${styles.verdict} ${of === undefined ? '' : styles.one}`}
      {...(live && { 'aria-live': 'polite' })}
    >
      <StateGlyph
        state={state}
        size={of === undefined ? 24 : 20}
        className={state === 'offline' ? styles.failed : undefined}
      />
      <div className={styles.words}>
        {of !== undefined && <p className={styles.of}>{of}</p>}
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
      {children !== undefined && <div className={styles.figures}>{children}</div>}
    </section>
  );
}
