import type { FollowedRegistration } from '#server/registration/index.ts';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import styles from './panels.module.css';
import { PaymentNote } from './payment-note.tsx';
import { StartAgain } from './start-again.tsx';
import { Timeline } from './timeline.tsx';
import { answersOf } from './wizard.ts';

/** A reviewer rejected the registration, or revoked it later. */
export function Rejected({ progress }: { progress: FollowedRegistration }) {
  const { registration } = progress;
  const { paymentNote } = registration;
  const answers = { ...answersOf(registration), earlier: paymentNote };
  return (
    <div className={`${styles.panels} ${styles.two}`}>
      <Panel title="The reviewer’s reason">
        <blockquote className={styles.reason}>{registration.rejectionReason}</blockquote>
        <p className={text.secondary}>
          This registration has ended. You can start another one with the same details. If you have
          already paid, don’t pay again: enter the note of that payment as the confirmation text.
        </p>
        <PaymentNote note={paymentNote} />
        <StartAgain answers={answers} label="Try again" />
      </Panel>
      <Panel title="History">
        <Timeline progress={progress} />
      </Panel>
    </div>
  );
}
