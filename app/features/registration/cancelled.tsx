import type { FollowedRegistration } from '#server/registration/index.ts';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { PaymentNote } from './payment-note.tsx';
import { StartAgain } from './start-again.tsx';
import { Timeline } from './timeline.tsx';
import { answersOf } from './wizard.ts';
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
        <StartAgain answers={answers} label="Register it again" />
      </Panel>
      <Panel title="History">
        <Timeline progress={progress} />
      </Panel>
    </div>
  );
}
