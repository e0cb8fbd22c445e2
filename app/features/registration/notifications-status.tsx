import { Form, useNavigation } from '@remix-run/react';
import type { NotificationSettings, RecentMessage } from '#server/outbox/index.ts';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import styles from './notifications-page.module.css';

const EVENTS: Record<RecentMessage['event'], string> = {
  decided: 'Decision',
  offline: 'Node offline',
  back: 'Node back',
  test: 'Test',
};

/** Where messages go, how the last ones fared, and what can be done about it. */
export function NotificationsStatus({ settings }: { settings: NotificationSettings }) {
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
          {kind === 'webhook' && (
            <li>
              <button className={button.button} name="intent" value="renew">
                Renew secret
              </button>
            </li>
          )}
          <li>
            <button className={button.danger} name="intent" value="remove">
              Remove address
            </button>
          </li>
        </ul>
      </Form>
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
