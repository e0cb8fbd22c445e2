import type { ReactNode } from 'react';
import split from './split.module.css';
import styles from './states.module.css';

export interface State {
  icon: ReactNode;
  /** What it is of. */
  of: string;
  /** The state in a few words. */
  title: ReactNode;
  text: ReactNode;
}

/** One or two states side by side: they come before what explains them. */
export const States = ({ label, states }: { label: string; states: (State | null)[] }) => (
  <section className={`${split.split} ${styles.states}`} aria-label={label}>
    {states.map(
      (state) =>
        state && (
          <div key={state.of}>
            {state.icon}
            <div>
              <p className={styles.of}>{state.of}</p>
              <p className={styles.title}>{state.title}</p>
              <p>{state.text}</p>
            </div>
          </div>
        ),
    )}
  </section>
);
