import { Link, useLoaderData } from '@remix-run/react';
import type { NameDetails } from '#server/registry/index.ts';
import type { RegistryEntry } from '#server/registry/registry.schema.ts';
import { nameFeedPath } from '#app/features/feeds/paths.ts';
import { UptimePanel } from '#app/features/history/uptime-panel.tsx';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { PageMoment } from '#app/lib/clock.ts';
import { capacity } from '#app/lib/formatters.ts';
import { usePageRefresh } from '#app/lib/page-refresh.ts';
import type { loader } from '#app/routes/registry.$name.tsx';
import button from '#app/ui/button.module.css';
import facts from '#app/ui/facts.module.css';
import { Moment } from '#app/ui/moment.tsx';
import { Page } from '#app/ui/page.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { Region } from '#app/ui/region.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { Status } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { BadgePanel } from './badge-panel.tsx';
import styles from './name-page.module.css';
import { NameVacancy } from './name-vacancy.tsx';

/** A name: what it stands for and its current state, or whether it is available. */
export function NamePage() {
  const loaded = useLoaderData<typeof loader>();
  const connection = usePageRefresh(loaded);
  const { name, entry, origin, peer, compute, updatedAt } = loaded;
  return (
    <PageMoment.Provider value={Date.parse(updatedAt)}>
      <Page
        title={name}
        intro={entry ? entry.label !== name && entry.label : undefined}
        actions={
          <>
            {entry && (
              <a className={button.button} href={nameFeedPath(name)} type="application/atom+xml">
                Atom feed
              </a>
            )}
            <Link className={button.button} to="/registry">
              All names
            </Link>
          </>
        }
        live={<ConnectionStatus connection={connection} renderedAt={updatedAt} />}
      >
        {entry ? (
          <div className={styles.panels}>
            <NamePanel entry={entry} />
            <NodePanel entry={entry} peer={peer} />
            <OfferPanel entry={entry} compute={compute} />
            <UptimePanel title="Uptime" uptime={loaded.uptime} className={styles.uptime} />
            <BadgePanel entry={entry} origin={origin} />
          </div>
        ) : (
          <NameVacancy name={name} vacancy={loaded.vacancy} rules={loaded.rules} />
        )}
      </Page>
    </PageMoment.Provider>
  );
}

function NamePanel({ entry }: { entry: RegistryEntry }) {
  return (
    <Panel title="Name">
      <dl className={facts.facts}>
        <dt>Label</dt>
        <dd>{entry.label}</dd>
        <dt>Kinds</dt>
        <dd>{entry.kinds.join(', ')}</dd>
        <dt>Class</dt>
        <dd>{entry.class}</dd>
        <dt>Region</dt>
        <dd>
          <Region code={entry.region} />
        </dd>
        <dt>Active since</dt>
        <dd>
          <Moment at={entry.activatedAt} />
        </dd>
      </dl>
    </Panel>
  );
}

function NodePanel({
  entry: { nodeId, kinds },
  peer,
}: {
  entry: RegistryEntry;
  peer: NameDetails['peer'];
}) {
  return (
    <Panel title="Node">
      <dl className={facts.facts}>
        <dt>ID</dt>
        <dd>
          <Link to={`/nodes/${nodeId}`}>
            <code>{nodeId}</code>
          </Link>
        </dd>
        {peer && (
          <>
            <dt>Status</dt>
            <dd>
              <Status status={peer.status} size={peer.class} />
            </dd>
            <dt>Last seen</dt>
            <dd>
              <RelativeTime at={peer.lastSeen} />
            </dd>
          </>
        )}
      </dl>
      {!peer && (
        <p className={text.secondary}>
          {kinds.includes('node')
            ? 'We haven’t heard from this node yet, so it isn’t on the map.'
            : 'This name is registered for a compute offer only, so its node isn’t shown here.'}
        </p>
      )}
    </Panel>
  );
}

function OfferPanel({
  entry: { name, kinds },
  compute,
}: {
  entry: RegistryEntry;
  compute: NameDetails['compute'];
}) {
  return (
    <Panel title="Compute offer" className={styles.offer}>
      {compute ? (
        <dl className={facts.facts}>
          <dt>Status</dt>
          <dd>
            <Status status={compute.status} />
          </dd>
          <dt>Capacity</dt>
          <dd>
            {capacity(compute)}
            {compute.status === 'offline' && ' when last seen'}
          </dd>
          <dt>Image</dt>
          <dd>
            <code>{compute.image}</code>
          </dd>
          <dt>Backend</dt>
          <dd>{compute.backend}</dd>
          <dt>Last seen</dt>
          <dd>
            <RelativeTime at={compute.lastSeen} />
          </dd>
        </dl>
      ) : (
        <p className={text.secondary}>
          {kinds.includes('compute')
            ? `The node hasn’t announced a compute offer named ${name} yet. It is listed automatically once it does.`
            : 'This name is registered for a node only. A compute offer needs a registration of its own.'}
        </p>
      )}
    </Panel>
  );
}
