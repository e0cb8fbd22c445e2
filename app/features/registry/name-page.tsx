import { useLoaderData } from '@remix-run/react';
import { UptimePanel } from '#app/features/uptime/uptime-panel.tsx';
import { Place } from '#app/features/mesh/place-map.tsx';
import { LivePage } from '#app/features/live/connection-status.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import button from '#app/ui/button.module.css';
import { Link } from '#app/ui/link.tsx';
import { NameDetails } from './name-details.tsx';
import styles from './name-page.module.css';
import type { loadName } from './name-page.server.ts';
import { NameStatus } from './name-status.tsx';
import { NameVacancy } from './name-vacancy.tsx';
import { BadgePanel, CardPanel } from './share-panels.tsx';

/** A name: its current state, its kinds and where they are, or whether it is available. */
export function NamePage() {
  const loaded = useLoaderData<typeof loadName>();
  const connection = usePageRefresh(loaded);
  const { name, entry, origin, peer, compute, updatedAt } = loaded;
  return (
    <LivePage
      connection={connection}
      updatedAt={updatedAt}
      title={name}
      intro={entry ? entry.label !== name && entry.label : undefined}
      actions={
        <>
          {peer && (
            <Link className={button.button} to={hrefs.map({ node: peer.id })}>
              Show on map
            </Link>
          )}
          {entry && (
            <a className={button.button} href={hrefs.nameFeed(name)} type="application/atom+xml">
              Atom feed
            </a>
          )}
          <Link className={button.button} to={hrefs.registry()}>
            All names
          </Link>
        </>
      }
    >
      {entry ? (
        <div className={styles.panels}>
          <NameStatus entry={entry} peer={peer} compute={compute} />
          {peer && (
            <div className={styles.place}>
              <Place at={peer} map={loaded.map} grid={loaded.grid} status={peer.status} />
            </div>
          )}
          <NameDetails entry={entry} compute={compute} similar={loaded.similar} />
          <UptimePanel title="Uptime of its node" uptime={loaded.uptime} className={styles.wide} />
          <UptimePanel
            title="Uptime of its compute offer"
            uptime={loaded.offerUptime}
            className={styles.wide}
          />
          <BadgePanel name={name} origin={origin} states={loaded.badges} />
          <CardPanel entry={entry} />
        </div>
      ) : (
        <NameVacancy name={name} vacancy={loaded.vacancy} rules={loaded.rules} />
      )}
    </LivePage>
  );
}
