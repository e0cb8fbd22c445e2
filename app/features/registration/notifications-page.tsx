import { Link, useActionData, useLoaderData } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import { formErrorOf, isFormError } from '#app/lib/form-error.ts';
import button from '#app/ui/button.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { FormAlert } from '#app/ui/form.tsx';
import { Page } from '#app/ui/page.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { NotificationsForm } from './notifications-form.tsx';
import styles from './notifications-page.module.css';
import type {
  changeNotifications,
  loadNotifications,
  NotificationsResult,
} from './notifications-page.server.ts';
import { NotificationsStatus } from './notifications-status.tsx';
import { RegistrationNotFound } from './not-found.tsx';
import wizard from './wizard.module.css';

/** What the holder of a registration is told, and where. */
export function NotificationsPage() {
  const { registration, settings, unavailable } = useLoaderData<typeof loadNotifications>();
  const answer = useActionData<typeof changeNotifications>();
  if (!registration) return <RegistrationNotFound unavailable={unavailable} live={null} />;
  const { id, name, nodeId } = registration;
  const problem = formErrorOf(answer);
  const saving = formErrorOf(answer, { intent: 'save' });
  return (
    <Page
      className={wizard.page}
      title={`Notifications for “${name}”`}
      intro={
        <>
          Hear when a reviewer decides, and when <code>{nodeId}</code> goes offline and comes back.
        </>
      }
      actions={
        <Link className={button.button} to={hrefs.registration(id)}>
          View registration
        </Link>
      }
    >
      <div className={styles.panels}>
        {!saving && <FormAlert problem={problem} />}
        {answer && !isFormError(answer) && <Done result={answer} />}
        {settings && <NotificationsStatus settings={settings} />}
        <Panel title={settings ? 'Change' : 'Set up'}>
          <NotificationsForm
            // Once something was saved this is another form, whose fields begin with what is stored.
            key={JSON.stringify({ ...settings, enabled: null, recent: null })}
            settings={settings}
            problem={saving}
          />
        </Panel>
        <p className={text.secondary}>
          The address is used for these messages only. Reviewers don’t see it, it is never logged,
          and it is deleted when you remove it, or a week after the registration has ended.
        </p>
      </div>
    </Page>
  );
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
          <div className={styles.secret}>
            <code className={text.code}>{secret}</code>
            <CopyButton text={secret} label="Copy secret" />
          </div>
        </Panel>
      )}
    </>
  );
}
