import { useImperativeHandle, useRef, useState, type ReactNode, type RefObject } from 'react';
import type { FormError } from '#app/lib/form-error.ts';
import { REASON_MAX } from '@mesh-registry/protocol/values.schema.ts';
import { ActionForm, FormField, type ActionFormProps } from '#app/ui/form.tsx';
import styles from './reject-form.module.css';
import { ShortcutKey } from '#app/ui/shortcut-setting.tsx';

/** Suggested reasons for a rejection, which reviewers can edit. The operator sees them. */
export const REASONS = [
  'No payment with this note was found.',
  'The amount paid differs from the fee.',
  'The name could mislead: it looks like another network’s or person’s.',
  'No node with this ID was ever seen.',
  'Requested by the operator.',
] as const;

interface RejectFormProps extends Omit<ActionFormProps, 'look' | 'preventScrollReset'> {
  problem: FormError | undefined;
  /** What opens and closes the form, a `summary`. */
  summary: ReactNode;
  /** What the text of the reason is called. */
  reasonLabel: string;
  handle: RefObject<RejectFormHandle>;
}

/** For the keyboard shortcuts. */
export interface RejectFormHandle {
  /** Opens the form and focuses its reasons. */
  open(): void;
  /** Chooses a suggested reason, counted from 1, if they are shown. @returns whether there is such a reason */
  choose(number: number): boolean;
}

/**
 * Rejects or revokes with a suggested reason, the reviewer's own, or both. The form opens by hand, by a shortcut, and
 * when there is a problem with what was sent.
 */
export function RejectForm(props: RejectFormProps) {
  const { problem, summary, reasonLabel, handle, className = '', children, ...form } = props;
  const [open, setOpen] = useState(problem !== undefined);
  const [shownProblem, setShownProblem] = useState(problem);
  if (problem !== shownProblem) {
    setShownProblem(problem);
    if (problem) setOpen(true);
  }
  const details = useRef<HTMLDetailsElement>(null);
  const reasons = useRef<HTMLFieldSetElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(handle, () => rejectFormHandle(details, reasons));
  return (
    <details
      ref={details}
      className={className}
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      {summary}
      <ActionForm
        {...form}
        preventScrollReset
        problem={problem}
        look="danger"
        className={styles.form}
      >
        {children}
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
        <FormField label={reasonLabel} name="reason">
          {(control) => <textarea {...control} ref={text} rows={3} maxLength={REASON_MAX} />}
        </FormField>
      </ActionForm>
    </details>
  );
}

/** The text with this suggested reason in front, in place of another one; the reviewer's own text stays. */
function beginWith(reason: string, text: string): string {
  const before = REASONS.find((suggested) => text.startsWith(suggested)) ?? '';
  return `${reason} ${text.slice(before.length).trim()}`.trim();
}

/** @param details what opens @param reasons the reasons in it */
const rejectFormHandle = (
  details: RefObject<HTMLDetailsElement>,
  reasons: RefObject<HTMLFieldSetElement>,
): RejectFormHandle => ({
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
});

const inputsIn = (element: Element | null) => [...(element?.querySelectorAll('input') ?? [])];
