import { Link } from '@remix-run/react';
import styles from './progress.module.css';

/** The steps from a name to its listing. */
const STEPS = ['Name', 'Details', 'Check', 'Pay', 'Review', 'Active'] as const;
export type ProgressStep = (typeof STEPS)[number];

export interface ProgressProps {
  current: ProgressStep;
  /** Whether the registration ended at `current`. */
  ended?: boolean;
  /** Steps that can be changed. */
  links?: Partial<Record<ProgressStep, string>>;
}

/** The progress of a registration, above each step, with links to earlier steps while they can be changed. */
export function Progress({ current, ended = false, links = {} }: ProgressProps) {
  const at = STEPS.indexOf(current);
  const stateOf = (step: ProgressStep, index: number) => {
    if (index > at) return 'later';
    if (index === at && ended) return 'ended';
    return index < at || step === 'Active' ? 'done' : 'now';
  };
  return (
    <nav className={styles.progress} aria-label="Registration steps">
      <ol>
        {STEPS.map((step, index) => {
          const to = index < at ? links[step] : undefined;
          return (
            <li
              key={step}
              className={styles[stateOf(step, index)]}
              aria-current={index === at ? 'step' : undefined}
            >
              {to ? <Link to={to}>{step}</Link> : <span>{step}</span>}
              {index < at && <span className="visually-hidden">, done</span>}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
