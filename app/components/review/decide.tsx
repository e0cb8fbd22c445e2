import { Form } from '@remix-run/react';
import { useEffect, useRef, useState } from 'react';
import { REASON_MAX, REASONS } from '../../../server/schemas/review-reasons.ts';
import type { Opened } from '../../../server/services/review-desk.ts';
import type { FormError } from '../../form.server.ts';
import { FormField } from './form.tsx';
import { Until } from './moments.tsx';
import { DOES } from './words.ts';

/**
 * What can be decided of a registration in its state. Plain forms; the page's shortcuts press their
 * buttons (`data-key`).
 */
export function Decide({
  registration,
  action,
  me,
  problem,
}: {
  registration: Opened;
  /** Where the forms go. */
  action: string;
  me: string;
  /** Of a form about this registration. */
  problem: FormError | undefined;
}) {
  const { note, name, status, decision } = registration;
  if (decision)
    return (
      <p className="decide-notice">
        {decision.by === me ? 'You' : decision.by}{' '}
        {decision.by === me ? decision.decision : DOES[decision.decision]} this,{' '}
        <Until at={decision.effectiveAt} />.{decision.reason && ` “${decision.reason}”`}
      </p>
    );
  const ending = ENDING[status];
  if (ending === null) return null;
  return (
    <div className="decide">
      {status === 'pending_review' && (
        <Form method="post" action={action} className="decide-accept" preventScrollReset>
          <input type="hidden" name="note" value={note} />
          <button className="button primary" name="intent" value="accept" data-key="a">
            Accept <kbd className="needs-scripts">a</kbd>
          </button>
        </Form>
      )}
      <Ending key={`${note} ${ending}`} {...{ ending, note, name, action, problem }} />
    </div>
  );
}

/** By state, how a reviewer may end it. What waits for review may be accepted as well. */
const ENDING: Record<Opened['status'], 'reject' | 'revoke' | null> = {
  pending_payment: 'reject',
  pending_review: 'reject',
  active: 'revoke',
  rejected: null,
};

/** Reject or revoke: with a reason, kept or written. */
function Ending({
  ending,
  note,
  name,
  action,
  problem,
}: {
  ending: 'reject' | 'revoke';
  note: string;
  name: string;
  action: string;
  problem: FormError | undefined;
}) {
  const text = useRef<HTMLTextAreaElement>(null);
  const wrong = problem?.fields['reason'];
  const [open, setOpen] = useState(problem?.values['intent'] === ending);
  const verb = ending === 'reject' ? 'Reject' : 'Revoke';
  useEffect(() => {
    if (wrong === undefined) return;
    setOpen(true);
    text.current?.focus();
  }, [wrong]);
  return (
    <details
      className="ending"
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="button danger" data-key="r">
        {verb} <kbd className="needs-scripts">r</kbd>
      </summary>
      <Form method="post" action={action} preventScrollReset>
        <input type="hidden" name="note" value={note} />
        <fieldset>
          <legend>Why? The operator reads it.</legend>
          {REASONS.map((reason) => (
            <label key={reason} className="phrase">
              <input
                type="radio"
                name="phrase"
                value={reason}
                defaultChecked={problem?.values['phrase'] === reason}
                onChange={() => {
                  if (text.current) text.current.value = reason;
                }}
              />
              {reason}
            </label>
          ))}
        </fieldset>
        <FormField label="In your own words" name="reason" problem={problem}>
          {(field) => <textarea {...field} ref={text} rows={3} maxLength={REASON_MAX} />}
        </FormField>
        <button className="button danger" name="intent" value={ending}>
          {verb} {name}
        </button>
      </Form>
    </details>
  );
}
