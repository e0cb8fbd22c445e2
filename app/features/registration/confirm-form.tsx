import { Form, useNavigation, type useLoaderData } from '@remix-run/react';
import { useRef, type ReactNode } from 'react';
import type { FollowedRegistration } from '#server/registration/index.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { useIsomorphicLayoutEffect } from '#app/lib/remix-workarounds/use-isomorphic-layout-effect.ts';
import button from '#app/ui/button.module.css';
import field from '#app/ui/field.module.css';
import { Notice } from '#app/ui/notice.tsx';
import type { ConfirmationDraft } from './confirmation-draft.ts';
import { FieldError } from './fields.tsx';
import styles from './confirm-form.module.css';
import type { loadRegistration } from './registration-page.server.ts';
import wizard from './wizard.module.css';

type Loaded = ReturnType<typeof useLoaderData<typeof loadRegistration>>;

/** What the page has to show of a registration, whatever its state. */
export interface RegistrationState extends Pick<
  Loaded,
  'origin' | 'credential' | 'earlier' | 'qr'
> {
  progress: FollowedRegistration;
  /** Why the last form failed, with what was typed. */
  error: FormError | null;
  draft: ConfirmationDraft;
}

interface ConfirmFormProps extends Pick<RegistrationState, 'error' | 'draft'> {
  submitLabel: string;
  /** `payment` reports it, with or without a text; `text` adds a text; `correction` replaces the one sent before. */
  purpose: 'payment' | 'text' | 'correction';
  /** What happens next, in a sentence. */
  children: ReactNode;
}

/** "I have paid", with the confirmation text of the payment app. */
export function ConfirmForm({ error, draft, submitLabel, purpose, children }: ConfirmFormProps) {
  const { formMethod, formData } = useNavigation();
  // The page’s other forms have an intent.
  const sending = formMethod === 'POST' && !formData?.has('intent');
  const input = useRef<HTMLInputElement>(null);
  const typed = error?.values['cashConfirm'] ?? '';
  const problem = error?.fields['cashConfirm'];
  const optional = purpose === 'payment';
  useIsomorphicLayoutEffect(() => draft.attach(input.current, optional), [draft, optional, typed]);
  return (
    <Form
      method="post"
      preventScrollReset
      onFocus={() => draft.setFocused(true)}
      onBlur={() => draft.setFocused(false)}
    >
      {purpose === 'correction' && <input type="hidden" name="corrects" value="yes" />}
      <div className={wizard.field}>
        <label htmlFor="cashConfirm">
          Confirmation text from Cash App{' '}
          {optional && <span className={wizard.optional}>optional</span>}
        </label>
        <div className={styles.row}>
          <input
            ref={input}
            id="cashConfirm"
            className={`${field.field} ${styles.input}`}
            name="cashConfirm"
            key={typed}
            defaultValue={typed}
            onInput={({ currentTarget }) => draft.type(currentTarget.value)}
            maxLength={128}
            required={!optional}
            autoComplete="off"
            spellCheck={false}
            placeholder="#D-7Q2M41"
            aria-describedby="confirm-hint cashConfirm-problem"
            aria-invalid={problem !== undefined}
            autoFocus={problem !== undefined}
          />
          <button className={optional ? button.primary : button.button}>
            {sending ? 'Sending…' : submitLabel}
          </button>
        </div>
        <p id="confirm-hint" className={wizard.hint}>
          {children}
        </p>
        <FieldError
          id="cashConfirm-problem"
          text={problem && `The confirmation text ${problem}.`}
        />
      </div>
      {error && problem === undefined && error.code !== 'name_taken' && (
        <Notice kind="error" className={styles.message}>
          {error.error}
        </Notice>
      )}
    </Form>
  );
}
