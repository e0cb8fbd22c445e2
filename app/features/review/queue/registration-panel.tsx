import { Form, Link } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { SYSTEM } from '#server/common/values.schema.ts';
import type { Opened } from '#server/review/review-desk.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { Decide } from './decide.tsx';
import { FormAlert } from '#app/ui/form.tsx';
import { Waiting } from '../moments.tsx';
import { ReviewerName } from '../reviewer-name.tsx';
import { revealOpenRow } from './rows.ts';
import { AlsoOf, NodeNow, RegistrationFacts, RegistrationStatus } from './registration-facts.tsx';

/** The registration that is open in the queue. */
export function OpenedPanel({
  registration,
  action,
  me,
  problem,
  asOf,
  focus,
}: {
  registration: Opened;
  /** Where its forms go. */
  action: string;
  me: string;
  problem: FormError | undefined;
  /** The last moment known (ms), where the server cannot be reached. */
  asOf: number | null;
  /** It was opened from this page: a screen reader and the keyboard go on here, and both it and its row are seen. */
  focus: boolean;
}) {
  const { note, name, status, viewer, decidedBy, decidedAt, rejectionReason } = registration;
  const decided = status === 'active' || status === 'rejected';
  const panel = useRef<HTMLElement>(null);
  const back = useRef<HTMLAnchorElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!focus) {
      // By its address: its row may be far down. Who has scrolled already is left where they are.
      if (window.scrollY === 0) revealOpenRow();
      return;
    }
    heading.current?.focus({ preventScroll: true });
    // The way back is there where the list is not.
    if (back.current?.offsetParent) panel.current?.scrollIntoView();
    else revealOpenRow();
  }, [focus, note]);
  return (
    <section className="opened card" aria-labelledby="opened" ref={panel}>
      <Link to="/review" className="back" ref={back} preventScrollReset>
        Back to the queue
      </Link>
      <div className="opened-head">
        <h2 id="opened" ref={heading} tabIndex={-1}>
          {name}
        </h2>
        <Link to={`/review/registrations/${note}`} className="secondary">
          History
        </Link>
      </div>
      <div>
        <NodeNow registration={registration} asOf={asOf} />
      </div>
      <RegistrationFacts registration={registration} />
      {viewer && viewer !== me && status === 'pending_review' && (
        <div className="decide-notice take">
          <p>
            <ReviewerName email={viewer} /> has this open.
          </p>
          <Form method="post" action={action} preventScrollReset>
            <input type="hidden" name="note" value={note} />
            <button className="button" name="intent" value="take">
              Take over
            </button>
          </Form>
        </div>
      )}
      <FormAlert problem={problem?.fields['reason'] === undefined ? problem : undefined} />
      <p className={decided ? 'decide-notice' : 'no-notice'}>
        <span role="status">
          {decided && <RegistrationStatus {...{ status, decidedBy }} />}
          {decided && decidedBy && decidedBy !== SYSTEM && (
            <>
              , decided by <ReviewerName email={decidedBy} />
            </>
          )}
          {decided && rejectionReason && `: “${rejectionReason}”`}
        </span>
        {decided && decidedAt && (
          <>
            , <Waiting since={decidedAt} /> ago
          </>
        )}
      </p>
      {status === 'pending_review' && <Decide {...{ registration, action, me, problem }} />}
      <div className="opened-others">
        <AlsoOf registration={registration} />
      </div>
    </section>
  );
}
