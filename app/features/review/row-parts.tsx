import { useRouteLoaderData } from '@remix-run/react';
import type { ReactNode } from 'react';
import type { RegistrationDetails } from '#server/review/index.ts';
import { exact, useTextAt } from '#app/lib/clock.ts';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { duration, statusLabel } from './labels.ts';
import type { loadDashboard } from './review.server.ts';
import styles from './row-parts.module.css';

/** A term of a definition list (ui/facts.module.css) and its value. */
export const Fact = ({ term, children }: { term: string; children: ReactNode }) => (
  <>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </>
);

/** How long something has waited, kept current; since when, on hover. */
export function Waiting({ since }: { since: string }) {
  const waited = useTextAt((now) => duration(now - Date.parse(since)));
  return (
    <time dateTime={since} title={`since ${exact(since)}`}>
      {waited}
    </time>
  );
}

/** When something was done, and by whom. */
export const Since = ({ at, by }: { at: string; by: string }) => (
  <>
    <RelativeTime at={at} />{' '}
    <span className={text.secondary}>
      by <ReviewerName email={by} />
    </span>
  </>
);

/**
 * A reviewer's name, with the address on hover. Falls back to the address for a reviewer who joined after the
 * page was opened, and for actors that are not reviewers.
 */
export function ReviewerName({ email }: { email: string }) {
  const name = useRouteLoaderData<typeof loadDashboard>('routes/review')?.names[email];
  return name === undefined ? email : <span title={email}>{name}</span>;
}

/** A reviewer as a disc with two letters. @param does what they do, for screen readers and on hover: "has this open" */
export function Avatar({ email, does }: { email: string; does: string }) {
  const known = useRouteLoaderData<typeof loadDashboard>('routes/review')?.names[email];
  const name = known ?? email;
  return (
    <span className={styles.avatar} title={`${name} ${does}`}>
      <span aria-hidden="true">{name.slice(0, 2).toUpperCase()}</span>
      <span className="visually-hidden">
        {name} {does}
      </span>
    </span>
  );
}

/** The status of a registration with its icon. */
export const RegistrationStatus = (
  registration: Pick<RegistrationDetails, 'status' | 'decidedBy'>,
) => <Status {...statusLabel(registration)} />;

/** Flags a registration, or its payment, whose confirmation text another registration has too. */
export const DuplicateConfirmation = () => (
  <Status status="idle" word="duplicate confirmation text" />
);
