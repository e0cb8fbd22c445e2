import { Form, useNavigation } from '@remix-run/react';
import { NODE_CLASSES, UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import button from '#app/ui/button.module.css';
import field from '#app/ui/field.module.css';
import { Command } from '#app/ui/command.tsx';
import { Notice } from '#app/ui/notice.tsx';
import type { RegistrationState } from './confirm-form.tsx';
import { Field } from './fields.tsx';
import styles from './registration-page.module.css';
import wizard from './wizard.module.css';
import { CLASS_LABELS } from './wizard.ts';

type OwnChangesProps = Pick<RegistrationState, 'progress' | 'error'>;

/** What the operator may correct until a reviewer has decided, and take back at any time. */
export function OwnChanges({ progress, error }: OwnChangesProps) {
  const { status } = progress.registration;
  if (status === 'rejected') return null;
  return (
    <div className={styles.below}>
      {status !== 'active' && <CorrectDetails {...{ progress, error }} />}
      <Cancel {...{ progress, error }} />
    </div>
  );
}

/** The reasons why a label is refused are whole sentences. */
const sentenceOf = (field: string, problem: string): string =>
  /^\p{Lu}/u.test(problem) ? problem : `The ${field} ${problem}.`;

function CorrectDetails({ progress: { registration }, error }: OwnChangesProps) {
  const { name, label, class: size, region } = registration;
  const sending = useSending('correct');
  const failed = formErrorOf(error, { intent: 'correct' });
  const values = failed?.values ?? { label: label === name ? '' : label, class: size, region };
  const control = (name: 'label' | 'region') => ({
    id: `own-${name}`,
    name,
    defaultValue: values[name] ?? '',
    error: failed?.fields[name] && sentenceOf(name, failed.fields[name]),
  });
  return (
    // Keyed, so that it is closed, and has the new values, once they are corrected.
    <details key={`${label} ${size} ${region}`} open={failed !== undefined}>
      <summary>Correct label, class or region</summary>
      <Form method="post" preventScrollReset className={styles.own}>
        <input type="hidden" name="intent" value="correct" />
        <Field {...control('label')} label="Label" placeholder={name} maxLength={128} />
        <div className={wizard.field}>
          <label htmlFor="own-class">Class</label>
          <select
            id="own-class"
            className={`${field.field} ${wizard.control}`}
            name="class"
            defaultValue={values['class']}
          >
            {NODE_CLASSES.map((each) => (
              <option key={each} value={each}>
                {CLASS_LABELS[each].title}
              </option>
            ))}
          </select>
        </div>
        <Field
          {...control('region')}
          label="Region"
          placeholder={UNKNOWN_REGION}
          maxLength={32}
          autoCapitalize="characters"
          spellCheck={false}
        />
        <button className={button.button}>{sending ? 'Saving…' : 'Save'}</button>
        {failed && Object.keys(failed.fields).length === 0 && (
          <Notice kind="error">{failed.error}</Notice>
        )}
      </Form>
    </details>
  );
}

function Cancel({ progress, error }: OwnChangesProps) {
  const { id, name, status } = progress.registration;
  const sending = useSending('cancel');
  const failed = formErrorOf(error, { intent: 'cancel' });
  const active = status === 'active';
  const effect = (
    <p>
      {active
        ? `“${name}” leaves the registry at once, and anyone can register it. Your node stays on the map. The fee is not refunded, and this can’t be undone.`
        : `“${name}” is free at once, and anyone can register it. This can’t be undone.`}
      {status === 'pending_review' && ' If you have paid, the fee is not refunded automatically.'}
    </p>
  );
  return (
    <details open={failed !== undefined && !progress.cancelNeedsKey}>
      <summary>{active ? 'Release this name' : 'Cancel this registration'}</summary>
      {progress.cancelNeedsKey ? (
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
          />
        </div>
      ) : (
        <Form method="post" className={styles.own}>
          <input type="hidden" name="intent" value="cancel" />
          {effect}
          <button className={button.danger}>
            {sending ? 'Sending…' : active ? 'Release name' : 'Cancel registration'}
          </button>
          {failed && <Notice kind="error">{failed.error}</Notice>}
        </Form>
      )}
    </details>
  );
}

function useSending(intent: string): boolean {
  const { formMethod, formData } = useNavigation();
  return formMethod === 'POST' && formData?.get('intent') === intent;
}
