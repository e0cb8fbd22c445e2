import { useEffect, type ReactNode } from 'react';
import { never } from '@mesh-registry/protocol/values.schema.ts';
import type { Connection } from '#app/lib/polling.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { serviceAway, type Away } from '#app/lib/service-away.ts';
import { ExactTime } from '#app/ui/moment.tsx';
import { Page, type PageProps } from '#app/ui/page.tsx';
import text from '#app/ui/text.module.css';
import styles from './connection-status.module.css';
import { ServiceBanner, useServiceAway } from './service-banner.tsx';

interface LivePageProps extends Omit<PageProps, 'live'> {
  connection: Connection;
  /** The moment of the data, as the server rendered them: ages count from it. */
  updatedAt: string;
}

/** The frame of a page that keeps itself up to date, or says in its header that it can't. */
export const LivePage = ({ connection, updatedAt, ...page }: LivePageProps) => (
  <PageMoment.Provider value={Date.parse(updatedAt)}>
    <Page {...page} live={<ConnectionStatus connection={connection} renderedAt={updatedAt} />} />
  </PageMoment.Provider>
);

export interface ConnectionStatusProps {
  connection: Connection;
  /** When the server rendered the page. */
  renderedAt: string;
}

/** Whether the page is up to date. It rarely changes, so screen readers announce it. */
export function ConnectionStatus({ connection, renderedAt }: ConnectionStatusProps) {
  const away = useServiceAway();
  useEffect(() => {
    const { state } = connection;
    if (state === 'stale') {
      if (!connection.signedOut) serviceAway.lost(connection.asOf);
    } else if (state !== 'starting') serviceAway.found();
  }, [connection]);
  return (
    <>
      <PageStatus state={connection.state} offline={away?.offline}>
        {statusText(connection, renderedAt, away)}
      </PageStatus>
      <ServiceBanner />
    </>
  );
}

/** In the header: a dot in the colour of the state, and its words. */
export function PageStatus({
  state,
  offline = false,
  children,
}: {
  state: Connection['state'];
  offline?: boolean | undefined;
  children: ReactNode;
}) {
  return (
    <p
      className={`${text.secondary} ${styles.status}`}
      data-stream={state}
      data-offline={offline || undefined}
      role="status"
    >
      <span className={styles.dot} aria-hidden />
      <span>{children}</span>
    </p>
  );
}

/** @param away what is said below the header while the service doesn't answer: then that has the time */
function statusText(connection: Connection, renderedAt: string, away: Away | null): ReactNode {
  switch (connection.state) {
    case 'live':
      return 'Live';
    case 'polling':
      return `Updated every ${(connection.everyMs ?? 10_000) / 1000} s`;
    case 'stale':
      return (
        <>
          {connection.signedOut ? 'Signed out' : away?.offline ? 'Offline' : 'Reconnecting'}
          <span className={away ? 'visually-hidden' : `${text.secondary} ${styles.asOf}`}>
            , data from <ExactTime at={new Date(connection.asOf).toISOString()} precision="clock" />
          </span>
        </>
      );
    case 'starting':
      return (
        <>
          <span className={styles.prefix}>As of</span>{' '}
          <ExactTime at={renderedAt} precision="clock" />
        </>
      );
    default:
      return never(connection);
  }
}
