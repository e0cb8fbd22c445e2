import { Link } from '@remix-run/react';
import { DoneIcon, EndedIcon } from '#app/ui/icons.tsx';
import styles from './progress.module.css';

/** The steps from a name to its listing. */
const STEPS = ['Name', 'Node', 'Details', 'Check', 'Pay', 'Review'] as const;
export type ProgressStep = (typeof STEPS)[number];

export interface ProgressProps {
  /** Where the registration is; null once all steps are done. */
  current: ProgressStep | null;
  /** Whether the registration ended at `current`. */
  ended?: boolean;
  /** Steps that can be changed. */
  links?: Partial<Record<ProgressStep, string>>;
}

const SIGNS = {
  done: { Icon: DoneIcon, said: ', done' },
  now: null,
  ended: { Icon: EndedIcon, said: ', ended' },
  later: null,
};

/**
 * The progress of a registration, above each step, with links to earlier steps while they can be changed. A phone
 * has a sentence over a bar of six parts: Back leads to the earlier steps there.
 */
export function Progress({ current, ended = false, links = {} }: ProgressProps) {
  const at = current === null ? STEPS.length : STEPS.indexOf(current);
  const stateOf = (index: number) => {
    if (index > at) return 'later';
    if (index < at) return 'done';
    return ended ? 'ended' : 'now';
  };
  return (
    <nav className={styles.progress} aria-label="Registration steps">
      <p className={styles.phone}>
        {current === null ? (
          'All 6 steps done'
        ) : (
          <>
            Step {at + 1} of 6: <strong>{current}</strong>
            {ended && ', ended'}
          </>
        )}
        <span className={styles.bars} aria-hidden>
          {STEPS.map((step, index) => (
            <span key={step} className={styles[stateOf(index)]} />
          ))}
        </span>
      </p>
      <ol>
        {STEPS.map((step, index) => {
          const state = stateOf(index);
          const to = index < at ? links[step] : undefined;
          const sign = SIGNS[state];
          const label = (
            <>
              {sign && <sign.Icon />}
              {step}
            </>
          );
          return (
            <li
              key={step}
              className={styles[state]}
              aria-current={index === at ? 'step' : undefined}
            >
              {to ? <Link to={to}>{label}</Link> : <span>{label}</span>}
              {sign && <span className="visually-hidden">{sign.said}</span>}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
