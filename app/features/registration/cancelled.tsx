import { Link } from '@remix-run/react';
import type { FollowedRegistration } from '#server/registration/index.ts';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { PaymentNote } from './payment-note.tsx';
import { Timeline } from './timeline.tsx';
import { answersOf, wizardHref } from './wizard.ts';
import styles from './panels.module.css';

/** The operator has cancelled the registration, or released the name. */
export function Cancelled({ progress }: { progress: FollowedRegistration }) {
  const { registration, confirmed, activated } = progress;
  const { paymentNote } = registration;
  const paid = confirmed && !activated;
  const answers = { ...answersOf(registration), ...(paid && { earlier: paymentNote }) };
  return (
    <div className={`${styles.panels} ${styles.two}`}>
      <Panel title="What next?">
        <p className={text.secondary}>
          Changed your mind? While the name is free you can register it again with the same details.
          {paid &&
            ' If you have already paid, don’t pay again: enter the note of that payment as the confirmation text.'}
        </p>
        {paid && <PaymentNote note={paymentNote} />}
        <ul className={chips.chips}>
          <li>
            <Link className={button.primary} to={wizardHref({ ...answers, step: 'check' })}>
              Register it again
            </Link>
          </li>
          <li>
            <Link className={button.button} to={wizardHref(answers)}>
              Choose another name
            </Link>
          </li>
        </ul>
      </Panel>
      <Panel title="History">
        <Timeline progress={progress} />
      </Panel>
    </div>
  );
}
