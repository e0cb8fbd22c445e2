import { Form, useNavigation, type useLoaderData } from '@remix-run/react';
import { useRef, type ReactNode } from 'react';
import type { FollowedRegistration } from '#server/registration/index.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { useIsomorphicLayoutEffect } from '#app/lib/remix-workarounds/use-isomorphic-layout-effect.ts';
import button from '#app/ui/button.module.css';
import { Notice } from '#app/ui/notice.tsx';
import text from '#app/ui/text.module.css';
import type { ConfirmationDraft } from './confirmation-draft.ts';
import styles from './confirm-form.module.css';
import { OwnField } from './own-field.tsx';
import type { Remembered } from './page-link.tsx';
import type { loadRegistration } from './registration-page.server.ts';

type Loaded = ReturnType<typeof useLoaderData<typeof loadRegistration>>;

/** What the page has to show of a registration, whatever its state. */
export interface RegistrationState extends Pick<
  Loaded,
  'origin' | 'credential' | 'earlier' | 'qr' | 'node'
> {
  progress: FollowedRegistration;
  /** The link of its page. */
  href: string;
  /** What this browser knows of it. */
  remembered: Remembered;
  /** Why the form that reports the payment failed, with what was typed. */
  error: FormError | null;
  /** Why the last form failed, whichever it was. */
  failed: FormError | null;
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
      <OwnField
        id="cashConfirm"
        label={
          <>Confirmation text {optional && <span className={text.secondary}>optional</span>}</>
        }
        hint={children}
        error={problem && `The confirmation text ${problem}.`}
      >
        {({ className, ...control }) => (
          <input
            {...control}
            ref={input}
            className={`${className} ${styles.input}`}
            name="cashConfirm"
            key={typed}
            defaultValue={typed}
            onInput={({ currentTarget }) => draft.type(currentTarget.value)}
            maxLength={128}
            required={!optional}
            autoComplete="off"
            spellCheck={false}
            placeholder="#D-7Q2M41"
            autoFocus={problem !== undefined}
          />
        )}
      </OwnField>
      <button
        className={`${optional ? button.primary : button.button} ${styles.send}`}
        aria-disabled={sending || undefined}
      >
        {sending ? 'Sending…' : submitLabel}
      </button>
      {error && problem === undefined && error.code !== 'name_taken' && (
        <Notice kind="error" className={styles.message}>
          {error.error}
        </Notice>
      )}
    </Form>
  );
}
