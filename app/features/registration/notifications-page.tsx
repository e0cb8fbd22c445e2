import { Form, Link, useActionData, useLoaderData, useNavigation } from '@remix-run/react';
import { useEffect, useRef, type ReactNode } from 'react';
import { ServiceBanner } from '#app/features/live/service-banner.tsx';
import { PageMoment } from '#app/lib/clock.ts';
import { useRememberPage } from '#app/lib/page-refresh.ts';
import { Notice } from '#app/ui/notice.tsx';
import type { NotificationSettings, RecentMessage } from '#server/outbox/index.ts';
import {
  ADDRESS_MAX,
  OFFLINE_MINUTES,
  TARGET_KINDS,
} from '@mesh-registry/protocol/values.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { formErrorOf, isFormError, type FormError } from '#app/lib/form-error.ts';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { Command } from '#app/ui/command.tsx';
import { ActionForm, FormAlert, TextField } from '#app/ui/form.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Page } from '#app/ui/page.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RadioGroup } from '#app/ui/radio-group.tsx';
import text from '#app/ui/text.module.css';
import flow from './flow.module.css';
import styles from './notifications-page.module.css';
import type {
  changeNotifications,
  loadNotifications,
  NotificationsResult,
} from './notifications-page.server.ts';
import { RegistrationNotFound } from './not-found.tsx';

/** What the holder of a registration is told, and where. */
export function NotificationsPage() {
  const loaded = useLoaderData<typeof loadNotifications>();
  const { registration, settings, unavailable, updatedAt } = loaded;
  const answer = useActionData<typeof changeNotifications>();
  useRememberPage(loaded);
  useFocusKept(answer, loaded);
  if (!registration) return <RegistrationNotFound unavailable={unavailable} live={null} />;
  const { id, name, nodeId } = registration;
  const problem = formErrorOf(answer);
  const saving = formErrorOf(answer, { intent: 'save' });
  return (
    <PageMoment.Provider value={Date.parse(updatedAt)}>
      <Page
        className={`${flow.page} ${flow.narrow}`}
        title={`Notifications for ${name}`}
        intro={
          <>
            When a reviewer asks or decides, and when <code>{nodeId}</code> goes offline or comes
            back.
          </>
        }
        actions={
          <Link className={button.button} to={hrefs.registration(id)}>
            View registration
          </Link>
        }
      >
        <ServiceBanner />
        <div className={styles.panels}>
          {saving?.lost ? <NotSaved /> : !saving && <FormAlert problem={problem} />}
          {answer && !isFormError(answer) && <Done result={answer} />}
          {settings && <NotificationsStatus settings={settings} />}
          <Panel title={settings ? 'Change' : 'Set up'}>
            <NotificationsForm
              // Once something was saved this is another form, whose fields begin with what is stored.
              key={JSON.stringify({ ...settings, enabled: null, recent: null })}
              settings={settings}
              problem={saving?.lost ? undefined : saving}
            />
          </Panel>
          <p className={text.secondary}>
            The address is used for these messages only. Reviewers can’t see it, it is never logged,
            and it is deleted when you remove it, or a week after the registration has ended.
          </p>
        </div>
      </Page>
    </PageMoment.Provider>
  );
}

/** The id of the form that sets up and changes. */
const FORM = 'notifications';

/** What was typed is still in the form, which has not been replaced. */
function NotSaved() {
  return (
    <Notice kind="error">
      <strong>
        Not saved yet: {navigator.onLine ? 'the service didn’t answer.' : 'you’re offline.'}
      </strong>{' '}
      What you typed is kept on this page.
      <p>
        <button className={button.button} form={FORM} name="intent" value="save">
          Save again
        </button>
      </p>
    </Notice>
  );
}

/**
 * A form that was accepted may be replaced by another one: the focus goes to the button in the place of the one that
 * was pressed, or to what came of it.
 */
function useFocusKept(answer: unknown, loaded: unknown): void {
  useEffect(() => {
    if (!answer || isFormError(answer) || document.activeElement !== document.body) return;
    const { done } = answer as NotificationsResult;
    const next =
      (done === 'saved' && document.querySelector<HTMLElement>(`#${FORM} [value="save"]`)) ||
      document.querySelector<HTMLElement>('main [role="status"][tabindex]');
    next?.focus();
    // The answer comes first, and what it has changed is loaded after it.
  }, [answer, loaded]);
}

const TEXTS: Record<NotificationsResult['done'], string> = {
  saved: 'Saved. Send a test to see whether messages arrive.',
  'switched on': 'Notifications are on.',
  'switched off': 'Notifications are off. The address is kept.',
  removed: 'The address and its messages are deleted.',
  renewed: 'The old secret no longer works.',
  tested: '',
};

function Done({ result: { done, secret, outcome } }: { result: NotificationsResult }) {
  return (
    <>
      <p
        className={outcome?.delivered === false ? text.error : text.notice}
        role="status"
        tabIndex={-1}
      >
        {outcome ? `Test: ${outcome.words}` : TEXTS[done]}
      </p>
      {secret !== null && (
        <Panel title="Signing secret">
          <p>
            Copy it now: it isn’t shown again. With it your receiver can verify that a message comes
            from here, with any library for{' '}
            <a href="https://www.standardwebhooks.com" rel="noopener noreferrer">
              Standard Webhooks
            </a>
            .
          </p>
          <Command label="Signing secret" code={secret} copyLabel="Copy secret" wrapped />
        </Panel>
      )}
    </>
  );
}

const EVENTS: Record<RecentMessage['event'], string> = {
  decided: 'Decision',
  asked: 'Question',
  offline: 'Node offline',
  back: 'Node back',
  test: 'Test',
};

/** Where messages go, how the last ones fared, and what can be done about it. */
function NotificationsStatus({ settings }: { settings: NotificationSettings }) {
  const { kind, host, enabled, recent } = settings;
  const { state, formData } = useNavigation();
  const sending = state !== 'idle' && formData?.get('intent') === 'test';
  return (
    <Panel title={enabled ? 'Notifications are on' : 'Notifications are off'}>
      <p>
        {enabled ? 'Messages go' : 'No messages go'} to{' '}
        {kind === 'ntfy' ? 'the ntfy topic' : 'the webhook'} at <code>{host}</code>.
      </p>
      <Form method="post" preventScrollReset>
        <ul className={chips.chips}>
          <li>
            <button className={button.button} name="intent" value="test" aria-disabled={sending}>
              {sending ? 'Sending…' : 'Send a test'}
            </button>
          </li>
          <li>
            <button className={button.button} name="intent" value={enabled ? 'off' : 'on'}>
              {enabled ? 'Turn off' : 'Turn on'}
            </button>
          </li>
        </ul>
      </Form>
      <div className={styles.asks}>
        {kind === 'webhook' && (
          <Ask
            intent="renew"
            label="Renew secret"
            question="Renew the secret?"
            keep="Keep this one"
          >
            Your receiver rejects our messages until it has the new secret.
          </Ask>
        )}
        <Ask intent="remove" label="Remove address" question="Remove the address?" keep="Keep it">
          No more messages are sent, and those below are deleted. You can set it up again.
        </Ask>
      </div>
      {recent.length > 0 && (
        <>
          <h3>Latest messages</h3>
          <ul className={styles.recent}>
            {recent.map(({ event, at, state, outcome }) => (
              <li key={`${event} ${at}`}>
                <span>
                  {EVENTS[event]}, <RelativeTime at={at} />
                </span>
                <span className={text.secondary}>
                  {state}
                  {outcome !== null && state !== 'delivered' && `: ${outcome}`}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

interface AskProps {
  intent: 'renew' | 'remove';
  /** Opens the question, and answers it. */
  label: string;
  question: string;
  /** The safe answer. */
  keep: string;
  /** What is lost. */
  children: ReactNode;
}

/** A button that asks in place, also without scripts. The safe answer has the focus; Escape gives it. */
function Ask({ intent, label, question, keep, children }: AskProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = () => {
    const { current } = details;
    if (!current) return;
    current.open = false;
    current.querySelector('summary')?.focus();
  };
  return (
    <details
      ref={details}
      className={styles.ask}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) currentTarget.querySelector('button')?.focus();
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <summary className={button.danger}>{label}</summary>
      <Form method="post" preventScrollReset aria-label={question}>
        <p>
          <strong>{question}</strong> {children}
        </p>
        <p className={styles.answers}>
          <button type="button" className={`${button.button} needs-scripts`} onClick={close}>
            {keep}
          </button>
          <button className={button.danger} name="intent" value={intent}>
            {label}
          </button>
        </p>
      </Form>
    </details>
  );
}

interface NotificationsFormProps {
  /** Null while nothing is set up. */
  settings: NotificationSettings | null;
  problem: FormError | undefined;
}

/** Says which address gets which messages. */
function NotificationsForm({ settings, problem }: NotificationsFormProps) {
  const typed = problem?.values;
  const { onDecision = true, onReturn = true } = settings ?? {};
  const events = [
    {
      name: 'onDecision',
      text: 'A reviewer asks, accepts, rejects or revokes',
      chosen: onDecision,
    },
    { name: 'onOffline', text: 'The node is offline', chosen: settings?.offlineMinutes !== null },
    {
      name: 'onReturn',
      text: 'The node is back, after it was reported offline',
      chosen: onReturn,
    },
  ];
  const { min, max, usual } = OFFLINE_MINUTES;
  return (
    <ActionForm
      id={FORM}
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
            ? 'Leave it empty to keep the current address.'
            : 'An https URL: a webhook, or a topic on ntfy.sh or your own ntfy server.'
        }
      />
      <fieldset className={styles.events}>
        <legend>When</legend>
        {events.map(({ name, text, chosen }) => (
          <label key={name}>
            <input
              type="checkbox"
              name={name}
              defaultChecked={typed ? typed[name] === 'on' : chosen}
            />
            {text}
          </label>
        ))}
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
