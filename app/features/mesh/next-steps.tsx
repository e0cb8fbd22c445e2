import { dateAndTime, zoneOf } from '#app/lib/clock.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import button from '#app/ui/button.module.css';
import { DoneIcon } from '#app/ui/icons.tsx';
import { Link } from '#app/ui/link.tsx';
import { Section } from '#app/ui/section.tsx';
import styles from './next-steps.module.css';

interface NextStepsProps {
  id: string;
  joinedAt: string;
  /** Whether it has an active name, and an offer that the directory lists. */
  named: boolean;
  offers: boolean;
}

/** What the operator of a new node does next. The page can't know who reads it, so it says so to everybody. */
export function NextSteps({ id, joinedAt, named, offers }: NextStepsProps) {
  const hydrated = useHydrated();
  const [, time] = dateAndTime(joinedAt, hydrated);
  return (
    <Section title="Next steps" aside="If this node is yours">
      <ol className={styles.steps}>
        <Step
          done
          title="Heartbeats arrive"
          text={`First heartbeat at ${time} ${zoneOf(joinedAt, hydrated)}.`}
        />
        <Step
          number={2}
          title="Keep it online"
          text="Run the agent as a service, so it starts with the machine."
          action={{ label: 'Show commands', to: hrefs.docs.operators('systemd') }}
        />
        <Step
          number={3}
          done={named}
          title="Register a name"
          text="People can find the node by name, and its ID is pinned to your key."
          action={{ label: 'Register a name', to: hrefs.registerNode(id) }}
        />
        <Step
          number={4}
          done={offers}
          title="Offer compute"
          text="Announce free slots under an active name to be listed in the directory."
          action={{ label: 'Read how', to: hrefs.docs.operators('announce') }}
        />
      </ol>
    </Section>
  );
}

interface StepProps {
  number?: number;
  done?: boolean;
  title: string;
  text: string;
  /** Where it is done: left out once it is. */
  action?: { label: string; to: string };
}

const Step = ({ number, done = false, title, text, action }: StepProps) => (
  <li>
    <span className={`${styles.number} ${done ? styles.done : ''}`} aria-hidden>
      {done ? <DoneIcon /> : number}
    </span>
    <div>
      <h3>
        {title}
        {done && <span className="visually-hidden"> (done)</span>}
      </h3>
      <p>{text}</p>
    </div>
    {!done && action && (
      <Link className={`${button.button} ${styles.action}`} to={action.to}>
        {action.label}
      </Link>
    )}
  </li>
);
