import { Form, useNavigation } from '@remix-run/react';
import type { ReactNode } from 'react';
import { NODE_CLASSES, UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import { formErrorOf, type FormError } from '#app/lib/form-error.ts';
import { CLASS_WORDS } from '#app/lib/formatters.ts';
import { useNetwork } from '#app/lib/network.tsx';
import button from '#app/ui/button.module.css';
import { Command } from '#app/ui/command.tsx';
import { Notice } from '#app/ui/notice.tsx';
import type { RegistrationState } from './confirm-form.tsx';
import { Fold } from './fold.tsx';
import { OwnField } from './own-field.tsx';
import styles from './registration-page.module.css';

interface OwnChangesProps extends Pick<RegistrationState, 'progress'> {
  /** Why the last form was refused, whichever it was. */
  error: FormError | null;
}

/** Why the form with this intent was refused. */
export const failedChange = (error: FormError | null, intent: 'correct' | 'cancel' | 'answer') =>
  formErrorOf(error, { intent });

/** What the operator may correct until a reviewer has decided. */
export function CorrectDetails({
  progress: { registration },
  error,
  icon,
}: OwnChangesProps & { icon: ReactNode }) {
  const { name, label, class: size, region } = registration;
  const sending = useSending('correct');
  const failed = failedChange(error, 'correct');
  const values = failed?.values ?? { label: label === name ? '' : label, class: size, region };
  const own = (name: 'label' | 'region') => ({
    id: `own-${name}`,
    error: failed?.fields[name] && sentence(name, failed.fields[name]),
  });
  return (
    <Fold
      // Keyed, so that it is closed, and has the new values, once they are corrected.
      key={`${label} ${size} ${region}`}
      icon={icon}
      title="Correct label, class or region"
      open={failed !== undefined}
    >
      <Form method="post" preventScrollReset className={styles.own}>
        <input type="hidden" name="intent" value="correct" />
        <OwnField {...own('label')} label="Label">
          {(control) => (
            <input
              {...control}
              name="label"
              defaultValue={values['label']}
              placeholder={name}
              maxLength={128}
              autoComplete="off"
            />
          )}
        </OwnField>
        <OwnField id="own-class" label="Class">
          {(control) => (
            <select {...control} name="class" defaultValue={values['class']}>
              {NODE_CLASSES.map((each) => (
                <option key={each} value={each}>
                  {CLASS_WORDS[each]}
                </option>
              ))}
            </select>
          )}
        </OwnField>
        <OwnField {...own('region')} label="Region">
          {(control) => (
            <input
              {...control}
              name="region"
              defaultValue={values['region']}
              placeholder={UNKNOWN_REGION}
              maxLength={32}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
            />
          )}
        </OwnField>
        <button className={button.button} aria-disabled={sending || undefined}>
          {sending ? 'Saving…' : 'Save'}
        </button>
        {failed && Object.keys(failed.fields).length === 0 && (
          <Notice kind="error">{failed.error}</Notice>
        )}
      </Form>
    </Fold>
  );
}

/** A refused label comes with a whole sentence. */
const sentence = (name: string, message: string) =>
  message.endsWith('.') ? message : `The ${name} ${message}.`;

/** Asks, says what is lost, and cancels or releases. */
export function Cancel({ progress, error }: OwnChangesProps) {
  const { refundPolicy } = useNetwork();
  const { id, name, status } = progress.registration;
  const sending = useSending('cancel');
  const failed = failedChange(error, 'cancel');
  const active = status === 'active';
  const effect = (
    <p>
      {active
        ? `${name} leaves the registry at once, and anyone can register it. Your node stays on the map. The fee is not refunded, and this can’t be undone.`
        : `${name} is free at once, and anyone can register it. This can’t be undone.`}
      {status === 'pending_review' && ` If you have paid: ${refundPolicy}`}
    </p>
  );
  if (progress.cancelNeedsKey)
    return (
      <div className={styles.own}>
        {effect}
        <p>
          Your node’s key has proved this registration, so this page’s link alone doesn’t end it.
          Run this where your node’s key is:
        </p>
        <Command
          label={
            active ? 'Command that releases the name' : 'Command that cancels the registration'
          }
          code={`mesh-agent register --cancel ${id}`}
          copyLabel="Copy command"
          wrapped
        />
      </div>
    );
  return (
    <Form method="post" className={styles.own}>
      <input type="hidden" name="intent" value="cancel" />
      {effect}
      <button className={button.danger} aria-disabled={sending || undefined}>
        {sending ? 'Sending…' : active ? 'Release name' : 'Cancel registration'}
      </button>
      {failed && <Notice kind="error">{failed.error}</Notice>}
    </Form>
  );
}

export function useSending(intent: string): boolean {
  const { formMethod, formData } = useNavigation();
  return formMethod === 'POST' && formData?.get('intent') === intent;
}
