import { Link, useLoaderData } from '@remix-run/react';
import { useEffect, useState, type ReactNode } from 'react';
import type { FollowedRegistration } from '#server/registration/index.ts';
import { ConnectionStatus, LivePage } from '#app/features/live/connection-status.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { dollars, regionInWords, span } from '#app/lib/formatters.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import type { Connection } from '#app/lib/polling.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import button from '#app/ui/button.module.css';
import { FactList } from '#app/ui/fact-list.tsx';
import { Section } from '#app/ui/section.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { Active, ActiveStates } from './active.tsx';
import type { RegistrationState } from './confirm-form.tsx';
import { useConfirmationDraft } from './confirmation-draft.ts';
import { Ended, EndedFacts, Expired, Reason } from './ended.tsx';
import flow from './flow.module.css';
import { More } from './more.tsx';
import { RegistrationNotFound } from './not-found.tsx';
import { Notice } from '#app/ui/notice.tsx';
import { KeepLink, useRemembered } from './page-link.tsx';
import { Pay, PayBanner } from './pay.tsx';
import { Progress, type ProgressProps } from './progress.tsx';
import { hasOpenQuestion, Questions } from './questions.tsx';
import styles from './registration-page.module.css';
import type { loadRegistration } from './registration-page.server.ts';
import { TimeLeft } from './reserved.tsx';
import { saveOpened } from './saved-registrations.ts';
import { shortly } from './shortly.ts';
import { Timeline } from './timeline.tsx';
import { useJobFocus } from './use-heading-focus.ts';
import { Payment, placeIn, Queue, Waiting } from './waiting.tsx';
import { DayAndTime } from './when.tsx';
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
    // Keyed: another registration's page starts anew.
    <RegistrationProgress
      key={progress.registration.id}
      {...loaded}
      progress={progress}
      connection={connection}
    />
  ) : (
    <RegistrationNotFound
      unavailable={unavailable}
      live={<ConnectionStatus connection={connection} renderedAt={updatedAt} />}
    />
  );
}

interface RegistrationProgressProps extends Omit<
  RegistrationState,
  'error' | 'failed' | 'draft' | 'href' | 'remembered'
> {
  connection: Connection;
  updatedAt: string;
}

function RegistrationProgress(loaded: RegistrationProgressProps) {
  const { progress, origin, connection, updatedAt } = loaded;
  const { registration, nameGone, nodeBlocked } = progress;
  const { id, name, nodeId, status, expiresAt, paymentNote: note, notices = [] } = registration;
  const failed = formErrorOf(useFormResult(status)) ?? null;
  const ended = status === 'rejected';
  const asked = hasOpenQuestion(registration);
  const seen = { id, name, nodeId, ended, status, expiresAt, note, asked };
  useEffect(
    () => saveOpened({ id, name, nodeId, ended, status, expiresAt, note, asked }),
    [id, name, nodeId, ended, status, expiresAt, note, asked],
  );
  // Only after the operator's own actions: changes by others are announced, and move nothing.
  useJobFocus();
  const draft = useConfirmationDraft(id, `${status} ${nameGone}`);
  const state: RegistrationState = {
    ...loaded,
    href: `${origin}${hrefs.registration(id)}`,
    remembered: useRemembered(seen),
    failed,
    // The confirmation form is the one without an intent.
    error: failed?.values['intent'] ? null : failed,
    draft,
  };
  const { title, intro, beside, at, above, content, aside } = viewOf(state);
  return (
    <LivePage className={flow.page} {...{ connection, updatedAt }} above={<Progress {...at} />}>
      <OutcomeAnnouncement text={`${outcome(progress)}.`} />
      <div className={styles.head}>
        <div>
          <h1>{title}</h1>
          {intro && <p>{intro}</p>}
        </div>
        {beside}
      </div>
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
      {above}
      {aside ? (
        <div className={flow.columns}>
          <div>{content}</div>
          <aside className={styles.aside}>
            {aside}
            {!ended && <More {...state} />}
            {status !== 'pending_payment' && (
              <KeepLink href={state.href} remembered={state.remembered} />
            )}
          </aside>
        </div>
      ) : (
        content
      )}
    </LivePage>
  );
}

interface View {
  title: string;
  intro?: ReactNode;
  /** At the right of the title. */
  beside?: ReactNode;
  at: ProgressProps;
  /** Over both columns. */
  above?: ReactNode;
  content: ReactNode;
  /** The first part of the aside; a view without one has a single column. */
  aside?: ReactNode;
}

/** What the page shows in each state. */
function viewOf(state: RegistrationState): View {
  const { registration, confirmed, activated, lapsed, cancelled, nameGone, timeline, queue } =
    state.progress;
  const { name, status, createdAt, expiresAt } = registration;
  switch (status) {
    case 'pending_payment':
      return {
        title: `${name} is reserved for you`,
        intro: 'Three things, in this order. Then a reviewer takes over.',
        beside: <TimeLeft reservation={registration} />,
        at: { current: 'Pay' },
        above: <PayBanner {...state} />,
        content: <Pay {...state} />,
        aside: <Details {...state} />,
      };
    case 'pending_review': {
      const asked = hasOpenQuestion(registration);
      const { questions = [] } = registration;
      return {
        ...(asked
          ? {
              title: `A reviewer asks about ${name}`,
              intro: `Answer here. You keep your place in the queue${queue ? `: ${placeIn(queue).replace('Next', `next of ${queue.waiting}`)}` : ''}.`,
            }
          : {
              title: `${name} is waiting for review`,
              intro:
                questions.length > 0
                  ? 'Your answer was sent. You can close this page.'
                  : 'A reviewer looks for your payment, then accepts the name. You can close this page.',
              above: <Queue {...state} />,
            }),
        at: { current: 'Review' },
        content: (
          <>
            <Questions {...state} />
            <Waiting {...state} />
          </>
        ),
        aside: <Payment {...state} />,
      };
    }
    case 'active':
      return {
        title: `${name} is active`,
        intro: <Accepted timeline={timeline} />,
        beside: (
          <Link className={button.primary} to={hrefs.name(name)}>
            View name
          </Link>
        ),
        at: { current: null },
        above: <ActiveStates {...state} />,
        content: <Active {...state} />,
        aside: (
          <Section title="Progress">
            <Timeline progress={state.progress} />
          </Section>
        ),
      };
    case 'rejected': {
      const ended = {
        at: { current: activated || confirmed ? 'Review' : 'Pay', ended: true },
        content: <Ended {...state} />,
        aside: <EndedFacts {...state} />,
      } as const;
      if (cancelled)
        return {
          ...ended,
          title: `You ${activated ? 'released' : 'cancelled'} ${name}`,
          intro: `The name is available again.${confirmed ? '' : ' You owe nothing.'}`,
        };
      if (!lapsed)
        return {
          ...ended,
          title: `${name} ${activated ? 'is no longer active' : 'was not activated'}`,
          above: <Reason {...state} />,
        };
      return {
        title: `The reservation of ${name} has expired`,
        intro:
          nameGone || state.error?.code === 'name_taken' ? (
            <>
              It ended: <DayAndTime at={expiresAt} />. The name is no longer free.
            </>
          ) : (
            <>
              No payment was reported within {span(Date.parse(expiresAt) - Date.parse(createdAt))}:
              it ended <DayAndTime at={expiresAt} />. The name is still available.
            </>
          ),
        at: ended.at,
        content: <Expired {...state} />,
      };
    }
    default:
      return never(status);
  }
}

/** "Accepted Mon 23 Nov, 10:09 CET, 29 min after you reported your payment." */
function Accepted({ timeline }: Pick<FollowedRegistration, 'timeline'>) {
  const accepted = timeline?.findLast(({ event }) => event === 'accepted');
  const reported = timeline?.findLast(({ event }) => event === 'confirmed' || event === 'late');
  if (!accepted) return <>It is listed in the registry.</>;
  return (
    <>
      Accepted <DayAndTime at={accepted.at} />
      {reported &&
        `, ${shortly(Date.parse(accepted.at) - Date.parse(reported.at))} after you reported your payment`}
      . It is listed in the registry.
    </>
  );
}

/** What is registered. A phone leaves it out: the steps before have shown it. */
function Details({ progress: { registration }, node }: RegistrationState) {
  const { name, kinds, label, class: size, region, feeUsd, nodeId } = registration;
  return (
    <Section title="Your registration" className={styles.facts}>
      <FactList
        facts={[
          { term: 'Name', value: name },
          { term: 'For', value: kinds.join(' and ') },
          {
            term: 'Node',
            value: (
              <>
                <StateGlyph state={node?.status ?? 'unknown'} /> {node?.label ?? nodeId}
              </>
            ),
          },
          { term: 'Label', value: label },
          { term: 'Class, region', value: `${size}, ${regionInWords(region)}` },
          { term: 'Fee', value: `${dollars(feeUsd)}, once` },
        ]}
      />
    </Section>
  );
}

/** Announces a sentence to screen readers when it changes while the page is open; never the first one. */
function OutcomeAnnouncement({ text }: { text: string }) {
  const [first] = useState(text);
  const [changed, setChanged] = useState(false);
  if (!changed && text !== first) setChanged(true);
  return (
    <p className="visually-hidden" aria-live="polite">
      {changed ? text : ''}
    </p>
  );
}

type Outcome = Pick<FollowedRegistration, 'registration' | 'lapsed' | 'cancelled' | 'activated'>;

/** The state in a sentence. */
function outcome({ registration, lapsed, cancelled, activated }: Outcome): string {
  const { name, status } = registration;
  if (hasOpenQuestion(registration)) return `A reviewer asks about ${name}`;
  switch (status) {
    case 'pending_payment':
      return `${name} is reserved for you`;
    case 'pending_review':
      return `${name} is waiting for review`;
    case 'active':
      return `${name} is active`;
    case 'rejected':
      if (lapsed) return `The reservation of ${name} has expired`;
      if (cancelled) return `${name} is ${activated ? 'released' : 'cancelled'}`;
      return `${name} ${activated ? 'is no longer active' : 'was not activated'}`;
    default:
      return never(status);
  }
}

/** For the tab, where only the beginning is seen: the state, then the name. */
export function registrationTitle({ registration, lapsed, cancelled, activated }: Outcome): string {
  const { name, status } = registration;
  const state = {
    pending_payment: 'Pay',
    pending_review: hasOpenQuestion(registration) ? 'Question' : 'Waiting',
    active: 'Active',
    rejected: lapsed
      ? 'Expired'
      : cancelled
        ? activated
          ? 'Released'
          : 'Cancelled'
        : activated
          ? 'Revoked'
          : 'Rejected',
  }[status];
  return `${state}: ${name}`;
}
