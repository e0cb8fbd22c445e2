import { Form } from '@remix-run/react';
import { useEffect, useRef, useState, type MouseEvent } from 'react';
import { REASON_MAX, REASONS } from '#server/review/reasons.schema.ts';
import type { DecisionKind, RegistrationStatus } from '#server/common/values.schema.ts';
import type { Opened } from '#server/review/review-desk.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { LabelledControl } from '#app/ui/form.tsx';
import { Key } from './key.tsx';
import { Until } from '../moments.tsx';
import { ReviewerName } from '../reviewer-name.tsx';
import { DOES } from '../labels.ts';

export type Decidable = Pick<Opened, 'note' | 'status' | 'decision'>;

const DECISIONS_OF: Record<RegistrationStatus, readonly DecisionKind[]> = {
  pending_payment: ['reject'],
  pending_review: ['accept', 'reject'],
  active: ['revoke'],
  rejected: [],
};

/** What can be decided of it now: nothing, while a decision waits. */
export const possibleDecisions = ({ status, decision }: Decidable): readonly DecisionKind[] =>
  decision ? [] : DECISIONS_OF[status];

/**
 * What can be decided of a registration in its state. Plain forms. They stay where they are while
 * somebody's decision waits: it may be undone, and a reason that is being written must not be lost.
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
  const { note, name, status, rev, decision } = registration;
  const off = decision !== null;
  const ending = DECISIONS_OF[status].find((one) => one !== 'accept');
  if (ending === undefined) return null;
  return (
    <div className="decide">
      <p className={decision ? 'decide-notice' : 'no-notice'}>
        <span role="status">
          {decision &&
            (decision.by === me ? (
              `You ${decision.decision} this`
            ) : (
              <>
                <ReviewerName email={decision.by} /> {DOES[decision.decision]} this
              </>
            ))}
        </span>
        {decision && (
          <>
            , <Until at={decision.effectiveAt} />.{decision.reason && ` “${decision.reason}”`}
          </>
        )}
      </p>
      {status === 'pending_review' && (
        <Form method="post" action={action} className="decide-accept" preventScrollReset>
          <input type="hidden" name="note" value={note} />
          <button
            className="button primary"
            name="intent"
            value="accept"
            aria-disabled={off}
            onClick={off ? refuse : undefined}
          >
            Accept <Key>a</Key>
          </button>
        </Form>
      )}
      <Ending key={`${note} ${ending}`} {...{ ending, note, name, rev, off, action, problem }} />
    </div>
  );
}

/** Of a form whose answer was lost, once its page has had another that shows the registration as it was. */
export const settled =
  (note: string | undefined) =>
  (sent: FormError['values']): string =>
    // Of another registration, and of who has it open, the page says it elsewhere.
    sent['note'] === note && sent['intent'] !== 'take'
      ? 'The service did not answer, and what you sent was not done. Send it again.'
      : 'The service did not answer, and does now: this page shows whether it was done.';

/** Not `disabled`: that would take the focus away. Without scripts the server refuses. */
const refuse = (event: MouseEvent) => event.preventDefault();

/** Opens the form of the reason and goes to what one can choose. @returns false where there is none */
export function askReason(): boolean {
  const details = document.querySelector<HTMLDetailsElement>('details.ending');
  if (!details) return false;
  details.open = true;
  details.scrollIntoView({ block: 'nearest' });
  (
    details.querySelector<HTMLElement>(`${PHRASE}:checked`) ??
    details.querySelector<HTMLElement>(PHRASE)
  )?.focus();
  return true;
}

/** Chooses a kept phrase where they can be seen. @param number from 1 @returns false where there is none */
export function chooseReason(number: number): boolean {
  const phrase = document.querySelectorAll<HTMLElement>(`details.ending[open] ${PHRASE}`)[
    number - 1
  ];
  phrase?.focus();
  phrase?.click();
  return phrase !== undefined;
}

const PHRASE = '[name="phrase"]';

/** The text with this kept phrase at its beginning, in place of another one; one's own words stay. */
function beginWith(phrase: string, text: string): string {
  const before = REASONS.find((kept) => text.startsWith(kept)) ?? '';
  return `${phrase} ${text.slice(before.length).trim()}`.trim();
}

/** Reject or revoke: with a reason, kept or written. */
function Ending({
  ending,
  note,
  name,
  rev,
  off,
  action,
  problem,
}: {
  ending: DecisionKind;
  note: string;
  name: string;
  rev: number;
  /** It cannot be sent just now. */
  off: boolean;
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
      <summary className="button danger">
        {verb} <Key>r</Key>
      </summary>
      <Form method="post" action={action} preventScrollReset>
        <input type="hidden" name="note" value={note} />
        <input type="hidden" name="rev" value={rev} />
        <fieldset>
          <legend>Why? The operator reads it.</legend>
          {REASONS.map((reason, index) => (
            <label key={reason} className="phrase">
              <input
                type="radio"
                name="phrase"
                value={reason}
                defaultChecked={problem?.values['phrase'] === reason}
                onChange={() => {
                  if (text.current) text.current.value = beginWith(reason, text.current.value);
                }}
              />
              {reason}
              <span aria-hidden="true">
                <Key>{index + 1}</Key>
              </span>
            </label>
          ))}
        </fieldset>
        <LabelledControl
          label="In your own words"
          name="reason"
          error={wrong}
          defaultValue={problem?.values['reason']}
        >
          {(control) => <textarea {...control} ref={text} rows={3} maxLength={REASON_MAX} />}
        </LabelledControl>
        <button
          className="button danger"
          name="intent"
          value={ending}
          aria-disabled={off}
          onClick={off ? refuse : undefined}
        >
          {verb} {name}
        </button>
      </Form>
    </details>
  );
}
