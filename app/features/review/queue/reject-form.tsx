import { useImperativeHandle, useRef, useState, type RefObject } from 'react';
import { REASON_MAX } from '#server/common/values.schema.ts';
import { REASONS } from '#server/review/reasons.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm, FormField } from '#app/ui/form.tsx';
import button from '#app/ui/button.module.css';
import styles from './reject-form.module.css';
import { ShortcutKey } from './shortcut-key.tsx';

/** For the keyboard shortcuts. */
export interface RejectFormHandle {
  /** Opens the form and focuses its reasons. */
  open(): void;
  /** Chooses a suggested reason, counted from 1, if they are shown. @returns whether there is such a reason */
  choose(number: number): boolean;
}

interface RejectFormProps {
  ending: 'reject' | 'revoke';
  note: string;
  name: string;
  /** The version of the registration that the reviewer sees. */
  rev: number;
  /** It can't be sent now. */
  blocked: boolean;
  /** Where the form goes. */
  action: string;
  problem: FormError | undefined;
  handle: RefObject<RejectFormHandle>;
}

/** Rejects a registration or revokes an active one, with a reason: a suggested one, the reviewer's own, or both. */
export function RejectForm(props: RejectFormProps) {
  const { ending, note, name, rev, blocked, action, problem, handle } = props;
  const [open, setOpen] = useState(problem !== undefined);
  const [shownProblem, setShownProblem] = useState(problem);
  if (problem !== shownProblem) {
    setShownProblem(problem);
    if (problem) setOpen(true);
  }
  const details = useRef<HTMLDetailsElement>(null);
  const reasons = useRef<HTMLFieldSetElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);

  useImperativeHandle(handle, () => ({
    open() {
      if (!details.current) return;
      details.current.open = true;
      details.current.scrollIntoView({ block: 'nearest' });
      const options = inputsIn(reasons.current);
      (options.find(({ checked }) => checked) ?? options[0])?.focus();
    },
    choose(number) {
      const option = details.current?.open ? inputsIn(reasons.current)[number - 1] : undefined;
      option?.focus();
      option?.click();
      return option !== undefined;
    },
  }));

  const verb = ending === 'reject' ? 'Reject' : 'Revoke';
  return (
    <details
      ref={details}
      className={styles.details}
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className={`${button.danger} ${styles.summary}`} data-blocked={blocked}>
        {verb} <ShortcutKey>r</ShortcutKey>
      </summary>
      <ActionForm
        intent={ending}
        action={action}
        preventScrollReset
        problem={problem}
        look="danger"
        blocked={blocked}
        keepValues
        className={styles.form}
        submitLabel={`${verb} ${name}`}
      >
        <input type="hidden" name="note" value={note} />
        <input type="hidden" name="rev" value={rev} />
        <fieldset ref={reasons} className={styles.reasons}>
          <legend>Suggested reasons</legend>
          {REASONS.map((reason, index) => (
            <label key={reason} className={styles.reason}>
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
                <ShortcutKey>{index + 1}</ShortcutKey>
              </span>
            </label>
          ))}
        </fieldset>
        <FormField label="Reason shown to the operator" name="reason">
          {(control) => <textarea {...control} ref={text} rows={3} maxLength={REASON_MAX} />}
        </FormField>
      </ActionForm>
    </details>
  );
}

const inputsIn = (element: Element | null) => [...(element?.querySelectorAll('input') ?? [])];

/** The text with this suggested reason in front, in place of another one; the reviewer's own text stays. */
function beginWith(reason: string, text: string): string {
  const before = REASONS.find((suggested) => text.startsWith(suggested)) ?? '';
  return `${reason} ${text.slice(before.length).trim()}`.trim();
}
