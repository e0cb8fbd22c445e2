import { Link, useLoaderData, useLocation } from '@remix-run/react';
import { useEffect, useState, type ReactNode } from 'react';
import type { FollowedRegistration } from '#server/registration/index.ts';
import { ConnectionStatus, LivePage } from '#app/features/live/connection-status.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { span, dollars } from '#app/lib/formatters.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import type { Connection } from '#app/lib/polling.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import { CopyButton } from '#app/ui/copy-button.tsx';
import text from '#app/ui/text.module.css';
import { Active } from './active.tsx';
import type { RegistrationState } from './confirm-form.tsx';
import { useConfirmationDraft } from './confirmation-draft.ts';
import { Ended } from './ended.tsx';
import flow from './flow.module.css';
import { NodeProof } from './node-proof.tsx';
import { RegistrationNotFound } from './not-found.tsx';
import { Notice } from '#app/ui/notice.tsx';
import { OwnChanges } from './own-changes.tsx';
import { Pay } from './pay.tsx';
import { Progress, type ProgressProps } from './progress.tsx';
import styles from './registration-page.module.css';
import type { loadRegistration } from './registration-page.server.ts';
import { saveRegistration } from './saved-registrations.ts';
import { useHeadingFocus } from './use-heading-focus.ts';
import { Waiting } from './waiting.tsx';
import wizard from './wizard.module.css';
import { never } from '@mesh-registry/protocol/values.schema.ts';

/** A decision shows within the first time (ms); in the title of a hidden tab, within the second one. */
const REFRESH_MS = 5000;
const HIDDEN_REFRESH_MS = 60_000;

/** The page of a registration, which its operator follows until it is active. */
export function RegistrationPage() {
  const loaded = useLoaderData<typeof loadRegistration>();
  const connection = usePageRefresh(loaded, REFRESH_MS, HIDDEN_REFRESH_MS);
  const { progress, unavailable, updatedAt } = loaded;
  return progress ? (
    <RegistrationProgress {...loaded} progress={progress} connection={connection} />
  ) : (
    <RegistrationNotFound
      unavailable={unavailable}
      live={<ConnectionStatus connection={connection} renderedAt={updatedAt} />}
    />
  );
}

interface RegistrationProgressProps extends Omit<RegistrationState, 'error' | 'draft'> {
  connection: Connection;
  updatedAt: string;
}

function RegistrationProgress(loaded: RegistrationProgressProps) {
  const { progress, origin, connection, updatedAt } = loaded;
  const { registration, nameGone, nodeBlocked } = progress;
  const { id, name, nodeId, status, notices = [] } = registration;
  const error = formErrorOf(useFormResult(status)) ?? null;
  const ended = status === 'rejected';
  useEffect(() => saveRegistration({ id, name, nodeId, ended }), [id, name, nodeId, ended]);
  // Only after the operator's own actions: changes by others are announced, and move nothing.
  useHeadingFocus(useLocation().key);
  const draft = useConfirmationDraft(`${status} ${nameGone}`);
  const { title, intro, at, content } = viewOf({
    ...loaded,
    // The confirmation form is the one without an intent.
    error: error?.values['intent'] ? null : error,
    draft,
  });
  return (
    <LivePage
      className={`${flow.page} ${wizard.page}`}
      {...{ title, intro, connection, updatedAt }}
      above={<Progress {...at} />}
    >
      <OutcomeAnnouncement text={`${registrationTitle(progress)}.`} />
      <div className={styles.notices}>
        {nodeBlocked && status !== 'rejected' && (
          <Notice shape="blocked">
            Reviewers have blocked this registration’s node, <code>{nodeId}</code>: its heartbeats
            and announcements are rejected until the block is lifted. If it is yours, contact the
            operator of this network.
          </Notice>
        )}
        {notices.map((notice) => (
          <Notice key={notice}>{notice}</Notice>
        ))}
      </div>
      {content}
      <NodeProof progress={progress} href={`${origin}${hrefs.registration(id)}`} />
      <OwnChanges progress={progress} error={error} />
      {status !== 'rejected' && (
        <p className={styles.below}>
          Hear when a reviewer decides, and when your node goes offline:{' '}
          <Link to={hrefs.notifications(id)}>set up notifications</Link>.
        </p>
      )}
      <KeepLink href={`${origin}${hrefs.registration(id)}`} />
    </LivePage>
  );
}

interface View {
  title: string;
  intro?: string;
  at: ProgressProps;
  content: ReactNode;
}

/** What the page shows in each state. */
function viewOf(state: RegistrationState): View {
  const { registration, confirmed, activated, lapsed, cancelled, nameGone } = state.progress;
  const { status, createdAt, expiresAt, feeUsd } = registration;
  const name = `“${registration.name}”`;
  switch (status) {
    case 'pending_payment':
      return {
        title: `Pay ${dollars(feeUsd)} to register ${name}`,
        at: { current: 'Pay' },
        content: <Pay {...state} />,
      };
    case 'pending_review':
      return {
        title: `${name} is waiting for review`,
        intro: 'You reported your payment. A reviewer will check it, then activate the name.',
        at: { current: 'Review' },
        content: <Waiting {...state} />,
      };
    case 'active':
      return {
        title: `${name} is active`,
        intro: 'It is listed in the public registry.',
        at: { current: null },
        content: <Active {...state} />,
      };
    case 'rejected': {
      const current = activated || confirmed ? 'Review' : 'Pay';
      const ended = { at: { current, ended: true }, content: <Ended {...state} /> } as const;
      if (cancelled)
        return {
          title: activated
            ? `You have released ${name}`
            : `You have cancelled the registration of ${name}`,
          intro: 'Anyone can register the name now.',
          ...ended,
        };
      if (!lapsed)
        return {
          title: `${name} ${activated ? 'is no longer active' : 'was not activated'}`,
          ...ended,
        };
      return {
        title: `Your reservation of ${name} has expired`,
        intro: `No payment was reported within ${span(Date.parse(expiresAt) - Date.parse(createdAt))}. ${
          nameGone || state.error?.code === 'name_taken'
            ? 'Someone else has registered the name since.'
            : 'Anyone can register the name again.'
        }`,
        ...ended,
      };
    }
    default:
      return never(status);
  }
}

/** The link of a registration gives full access to it: to its operator, and to anyone else who has it. */
function KeepLink({ href }: { href: string }) {
  return (
    <div className={styles.keepLink}>
      <p className={text.secondary}>
        You can close this page, but save its link. Anyone who has it can act on your registration,
        so don’t share it.
      </p>
      <CopyButton text={href} label="Copy link" />
    </div>
  );
}

/** Announces a sentence to screen readers when it changes while the page is open; never the first one. */
function OutcomeAnnouncement({ text }: { text: string }) {
  const [first] = useState(text);
  const [changed, setChanged] = useState(false);
  if (!changed && text !== first) setChanged(true);
  return (
    <p className="visually-hidden" aria-live="assertive">
      {changed ? text : ''}
    </p>
  );
}

/** For the tab and for screen readers: it changes when a reviewer decides. */
export function registrationTitle({
  registration: { name, status },
  lapsed,
  cancelled,
  activated,
}: Pick<FollowedRegistration, 'registration' | 'lapsed' | 'cancelled' | 'activated'>): string {
  switch (status) {
    case 'pending_payment':
      return `Pay for ${name}`;
    case 'pending_review':
      return `${name} is waiting for review`;
    case 'active':
      return `${name} is active`;
    case 'rejected':
      if (lapsed) return `The reservation of ${name} has expired`;
      if (cancelled) return activated ? `${name} is released` : `${name} is cancelled`;
      return activated ? `${name} is no longer active` : `${name} was not activated`;
    default:
      return never(status);
  }
}
