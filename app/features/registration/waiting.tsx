import { Link } from '@remix-run/react';
import { count, dollars } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { FactList } from '#app/ui/fact-list.tsx';
import { BellIcon, ClockIcon } from '#app/ui/icons.tsx';
import { Section } from '#app/ui/section.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import text from '#app/ui/text.module.css';
import { ConfirmForm, type RegistrationState } from './confirm-form.tsx';
import folds from './folds.module.css';
import { PayInstructions } from './pay.tsx';
import styles from './registration-page.module.css';
import { shortly } from './shortly.ts';
import { States } from './states.tsx';
import { Timeline } from './timeline.tsx';

/** Its place in the queue, and how long reviews take. */
export function Queue({ progress: { queue, usualMs, timeline } }: RegistrationState) {
  const reported = timeline?.findLast(({ event }) => event === 'confirmed' || event === 'late');
  if (!queue) return null;
  const { position, waiting } = queue;
  return (
    <States
      label="Queue"
      states={[
        {
          icon: <StateGlyph state="syncing" size={20} />,
          of: 'Place in the queue',
          title: placeIn(queue),
          text:
            position === 1
              ? `${count(waiting)} ${waiting === 1 ? 'is' : 'are'} waiting.`
              : `${count(position - 1)} ahead of you.`,
        },
        usualMs === null
          ? null
          : {
              icon: <ClockIcon />,
              of: 'Usual time',
              title: shortly(usualMs),
              text: (
                <>
                  Median of recent reviews.
                  {reported && (
                    <>
                      {' '}
                      You reported <RelativeTime at={reported.at} />.
                    </>
                  )}
                </>
              ),
            },
      ]}
    />
  );
}

const ORDINALS: Record<string, string> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });

/** "Next", "3rd of 8". */
export const placeIn = ({ position, waiting }: { position: number; waiting: number }): string =>
  position === 1
    ? 'Next'
    : `${count(position)}${ORDINALS[ordinals.select(position)] ?? 'th'} of ${count(waiting)}`;

/** The registration waits for a reviewer. */
export function Waiting({ progress, qr }: RegistrationState) {
  return (
    <>
      <div className={text.notice}>
        <BellIcon /> <strong>Get notified</strong>
        <p>
          A message to your webhook or ntfy topic when it is decided, and when your node goes
          offline.{' '}
          <Link to={hrefs.notifications(progress.registration.id)}>Set up notifications</Link>
        </p>
      </div>
      <section className={styles.part} aria-labelledby="progress">
        <h2 id="progress">Progress</h2>
        <Timeline progress={progress} />
      </section>
      <details className={folds.quiet}>
        <summary>I haven’t paid yet</summary>
        <p>
          You can still pay. You don’t need to report it again. If no payment is found, the
          registration may be rejected.
        </p>
        <PayInstructions progress={progress} qr={qr} />
      </details>
      <p className={`${text.secondary} without-scripts`}>
        Reload this page to see whether a reviewer has decided.
      </p>
    </>
  );
}

/** In the aside: what was reported, and a form that adds or replaces the confirmation text. */
export function Payment({ progress, error, draft }: RegistrationState) {
  const { registration } = progress;
  const { paymentNote, feeUsd, cashConfirmGiven, updatedAt, status } = registration;
  return (
    <Section title="Your payment">
      <FactList
        facts={[
          { term: 'Amount', value: dollars(feeUsd) },
          { term: 'Note', value: <code>{paymentNote}</code> },
          {
            term: 'Confirmation text',
            value: cashConfirmGiven ? 'given' : <span className={styles.none}>none</span>,
          },
        ]}
      />
      {status === 'pending_review' && (
        // Keyed, so that it is closed and empty again once a text was sent.
        <details key={updatedAt} className={folds.quiet} open={error !== null}>
          <summary>{cashConfirmGiven ? 'Correct' : 'Add a confirmation text'}</summary>
          <ConfirmForm
            error={error}
            draft={draft}
            submitLabel={cashConfirmGiven ? 'Send new text' : 'Add text'}
            purpose={cashConfirmGiven ? 'correction' : 'text'}
          >
            {cashConfirmGiven
              ? 'It replaces the text you sent.'
              : 'It helps the reviewer find the payment, especially if the note went missing.'}{' '}
            Only reviewers can see it.
          </ConfirmForm>
        </details>
      )}
      {status === 'pending_review' && cashConfirmGiven && (
        <p className={text.secondary}>Only reviewers can see the confirmation text.</p>
      )}
    </Section>
  );
}
