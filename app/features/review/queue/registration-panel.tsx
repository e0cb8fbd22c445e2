import { Link } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { OPERATOR, SYSTEM } from '@mesh-registry/protocol/values.schema.ts';
import type { RegistrationDetails } from '#server/review/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm, FormAlert } from '#app/ui/form.tsx';
import button from '#app/ui/button.module.css';
import { BackIcon, EndedIcon } from '#app/ui/icons.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { NodeSummary } from '../registrations/node-summary.tsx';
import { RegistrationFacts } from '../registrations/registration-facts.tsx';
import { RegistrationStatus, ReviewerName, Waiting } from '../row-parts.tsx';
import { WarningList } from '../warning-list.tsx';
import { RelatedRegistrations } from '../registrations/related-registrations.tsx';
import { DecisionForm, isOfDecision, type DecisionForms } from './decision-form.tsx';
import { Questions } from './questions.tsx';
import { isOfWork, ReviewWork } from './review-work.tsx';
import { isScrolled, revealOpenRow } from './queue-rows.ts';
import styles from './registration-panel.module.css';

interface RegistrationPanelProps {
  registration: RegistrationDetails;
  /** Where its forms go. */
  action: string;
  /** The reviewer's own address. */
  me: string;
  problem: FormError | undefined;
  /** The last moment known (ms), while the service can't be reached. */
  asOf: number | null;
  /** Takes the focus: it was opened from this page. */
  focus: boolean;
  forms: DecisionForms;
}

/** The registration that is open in the queue. */
export function RegistrationPanel(props: RegistrationPanelProps) {
  const { registration, action, me, problem, asOf, focus, forms } = props;
  const { note, name, status, assignee } = registration;
  const { panel, back, heading } = useReveal(note, focus);
  const undecided = status === 'pending_review';
  const ofDecision = undecided && isOfDecision(problem, registration);
  const ofAsking = undecided && problem?.values['intent'] === 'ask';
  const ofWork = isOfWork(problem);
  return (
    <section className={styles.panel} aria-labelledby="open-registration" ref={panel}>
      <div className={styles.head}>
        <Link
          to={hrefs.review.queue()}
          className={`${button.icon} ${styles.back}`}
          ref={back}
          preventScrollReset
        >
          <BackIcon />
          <span className="visually-hidden">Back to the queue</span>
        </Link>
        <div>
          <h2 id="open-registration" ref={heading} tabIndex={-1}>
            {name}
          </h2>
          <p className={text.secondary}>
            {registration.kinds.map((kind) => KIND[kind]).join(' and ')}
            {undecided && (
              <>
                {' · waiting '}
                <Waiting since={registration.confirmedAt ?? registration.createdAt} />
              </>
            )}
            {undecided && assignee === me && ' · yours'}
          </p>
        </div>
        <Link to={hrefs.review.registration(note)} className={`${button.button} ${styles.history}`}>
          History
        </Link>
        <Link
          to={hrefs.review.queue()}
          className={`${button.icon} ${styles.close}`}
          preventScrollReset
        >
          <EndedIcon />
          <span className="visually-hidden">Close</span>
        </Link>
      </div>
      <div className={styles.body}>
        <WarningList registration={registration} />
        {undecided && <OtherViewer {...props} />}
        <FormAlert problem={ofDecision || ofAsking || ofWork ? undefined : problem} />
        <PastDecision registration={registration} />
        <RegistrationFacts registration={registration} />
        <NodeSummary registration={registration} asOf={asOf} />
        <ReviewWork {...{ registration, action, me }} problem={ofWork ? problem : undefined} />
        <Questions {...{ registration, action }} problem={ofAsking ? problem : undefined} />
        <div className={styles.related}>
          <RelatedRegistrations registration={registration} />
        </div>
      </div>
      {/* The form stays while the registration is decided: if that is undone, a reason being written is still there. */}
      <div className={styles.decision} hidden={!undecided}>
        <DecisionForm
          {...{ action, forms }}
          registration={{ ...registration, status: 'pending_review' }}
          problem={ofDecision ? problem : undefined}
        />
      </div>
    </section>
  );
}

const KIND: Record<RegistrationDetails['kinds'][number], string> = {
  node: 'node',
  compute: 'compute offer',
};

/** Brings the panel and its row into view, and the focus to the heading if it was opened from this page. */
function useReveal(note: string, focus: boolean) {
  const panel = useRef<HTMLElement>(null);
  const back = useRef<HTMLAnchorElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!focus) {
      // Opened by its URL, its row may be far down. Don't move a page that was scrolled already.
      if (!isScrolled()) revealOpenRow();
      return;
    }
    heading.current?.focus({ preventScroll: true });
    // The link back is shown where the panel replaces the list.
    if (back.current?.offsetParent) panel.current?.scrollIntoView();
    else revealOpenRow();
  }, [focus, note]);
  return { panel, back, heading };
}

/** Another reviewer has it open. */
function OtherViewer({ registration, action, me }: RegistrationPanelProps) {
  const { note, viewer } = registration;
  if (!viewer || viewer === me) return null;
  return (
    <div className={`${text.notice} ${styles.viewer}`}>
      <p>
        <ReviewerName email={viewer} /> has this open.
      </p>
      <ActionForm
        intent="take-over"
        action={action}
        preventScrollReset
        problem={undefined}
        submitLabel="Take over"
      >
        <input type="hidden" name="note" value={note} />
      </ActionForm>
    </div>
  );
}

/** The decision on it, announced as soon as it is made. */
function PastDecision({ registration }: { registration: RegistrationDetails }) {
  const { status, decidedBy, decidedAt, rejectionReason } = registration;
  const decided = status === 'active' || status === 'rejected';
  return (
    <p className={decided ? text.notice : styles.silent}>
      <span role="status">
        {decided && <RegistrationStatus {...{ status, decidedBy }} />}
        {decided && decidedBy && decidedBy !== SYSTEM && decidedBy !== OPERATOR && (
          <>
            , decided by <ReviewerName email={decidedBy} />
          </>
        )}
        {decided && rejectionReason && `: “${rejectionReason}”`}
      </span>
      {decided && decidedAt && (
        <>
          , <RelativeTime at={decidedAt} />
        </>
      )}
    </p>
  );
}
