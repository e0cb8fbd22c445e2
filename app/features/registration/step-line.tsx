import { Link } from '@remix-run/react';

/** The way from a name to its listing. */
const WAY = ['Name', 'What it is', 'Check', 'Pay', 'Review', 'Active'] as const;
export type WayStep = (typeof WAY)[number];

export interface StepLineProps {
  current: WayStep;
  /** It did not get beyond `current`. */
  ended?: boolean;
  /** Steps that can be gone back to. */
  links?: Partial<Record<WayStep, string>>;
}

/** Where one is, on top of each step; what is done can be gone back to while it can still be changed. */
export function StepLine({ current, ended = false, links = {} }: StepLineProps) {
  const at = WAY.indexOf(current);
  return (
    <nav className="step-line" aria-label="Steps of the registration">
      <ol>
        {WAY.map((step, index) => {
          const done = index < at || (step === 'Active' && !ended);
          const to = index < at ? links[step] : undefined;
          const state =
            index > at ? 'later' : index === at && ended ? 'ended' : done ? 'done' : 'now';
          return (
            <li key={step} className={state} aria-current={index === at ? 'step' : undefined}>
              {to ? <Link to={to}>{step}</Link> : <span>{step}</span>}
              {index < at && <span className="visually-hidden">, done</span>}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
