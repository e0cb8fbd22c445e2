import { useState } from 'react';
import type { NotificationSettings } from '#server/outbox/index.ts';
import {
  ADDRESS_MAX,
  OFFLINE_MINUTES,
  TARGET_KINDS,
} from '@mesh-registry/protocol/values.schema.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { ActionForm, TextField } from '#app/ui/form.tsx';
import { RadioGroup } from '#app/ui/radio-group.tsx';
import styles from './notifications-page.module.css';

interface NotificationsFormProps {
  /** Null while nothing is set up. */
  settings: NotificationSettings | null;
  problem: FormError | undefined;
}

/** Says which address gets which messages. */
export function NotificationsForm({ settings, problem }: NotificationsFormProps) {
  const typed = problem?.values;
  const ticked = (name: string, stored: boolean) => (typed ? typed[name] === 'on' : stored);
  const [offline, setOffline] = useState(
    ticked('onOffline', settings ? settings.offlineMinutes !== null : true),
  );
  const { min, max, usual } = OFFLINE_MINUTES;
  return (
    <ActionForm
      intent="save"
      problem={problem}
      submitLabel={settings ? 'Save changes' : 'Save'}
      look="primary"
      keepValues
    >
      <RadioGroup
        legend="Send to"
        name="kind"
        options={TARGET_KINDS}
        defaultValue={settings?.kind ?? 'webhook'}
      />
      <TextField
        label="Address"
        name="address"
        type="url"
        maxLength={ADDRESS_MAX}
        required={settings === null}
        autoComplete="off"
        spellCheck={false}
        placeholder={settings ? `https://${settings.host}/…` : 'https://ntfy.sh/your-topic'}
        hint={
          settings
            ? 'Leave it empty to keep the present one.'
            : 'An https URL: a webhook, or a topic on ntfy.sh or your own ntfy server.'
        }
      />
      <fieldset className={styles.events}>
        <legend>When</legend>
        <label>
          <input
            type="checkbox"
            name="onDecision"
            defaultChecked={ticked('onDecision', settings?.onDecision ?? true)}
          />
          A reviewer accepts, rejects or revokes the registration
        </label>
        <label>
          <input
            type="checkbox"
            name="onOffline"
            checked={offline}
            onChange={({ currentTarget }) => setOffline(currentTarget.checked)}
          />
          The node is offline
        </label>
        <label>
          <input
            type="checkbox"
            name="onReturn"
            defaultChecked={ticked('onReturn', settings?.onReturn ?? true)}
          />
          The node is back, after it was reported offline
        </label>
      </fieldset>
      <div className={styles.minutes}>
        <TextField
          label="Minutes without a heartbeat"
          name="offlineMinutes"
          type="number"
          inputMode="numeric"
          min={min}
          max={max}
          defaultValue={settings?.offlineMinutes ?? usual}
          hint={`From ${min} to ${max} (a day).`}
        />
      </div>
    </ActionForm>
  );
}
