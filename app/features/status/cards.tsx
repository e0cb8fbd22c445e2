import type { ReactNode } from 'react';
import type { StatusSummary } from '#server/status/index.ts';
import { useTextAt } from '#app/lib/clock.ts';
import { count } from '#app/lib/formatters.ts';
import { GenesisIcon, Status } from '#app/ui/status-icon.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { clockTime, duration } from './labels.ts';
import card from '#app/ui/card.module.css';
import facts from '#app/ui/facts.module.css';
import styles from './status.module.css';

/** The current state of the four parts of the service. */
export function StatusCards({ status }: { status: StatusSummary }) {
  const { service, readModel, heartbeats, genesis } = status;
  return (
    <div className={styles.cards}>
      <Card title="Service">
        <Fact name="Version">{service.version}</Fact>
        <Fact name="Uptime">
          <Uptime since={service.startedAt} />
        </Fact>
        <Fact name="Database">
          {service.engine === 'embedded' ? 'embedded (PGlite)' : 'PostgreSQL'}
        </Fact>
        <Fact name="State">
          <Sign good={service.database === 'up'}>
            {service.database === 'up' ? 'reachable' : 'unavailable'}
          </Sign>
        </Fact>
        <Fact name="Degraded">{service.degraded ? 'yes' : 'no'}</Fact>
      </Card>
      <Card title="Read model">
        <Fact name="Lag">{age(readModel.ageMs)}</Fact>
        <Fact name="Nodes">{count(readModel.peers)}</Fact>
        <Fact name="Compute offers">{count(readModel.computes)}</Fact>
        <Fact name="Registrations">{count(readModel.registrations)}</Fact>
      </Card>
      <Card title="Heartbeats">
        {heartbeats ? (
          <>
            <Fact name="Heartbeats">{count(heartbeats.pings)} a minute</Fact>
            <Fact name="Announcements">{count(heartbeats.announces)} a minute</Fact>
            <Fact name="Counted">{clockTime(heartbeats.minute)} UTC</Fact>
            <Fact name="Servers">
              {heartbeats.servers} {heartbeats.servers === 1 ? 'process' : 'processes'}
            </Fact>
          </>
        ) : (
          <Fact name="Nodes">counting the first minute</Fact>
        )}
      </Card>
      <Card title={genesis.label} glyph={<GenesisIcon />}>
        {genesis.configured ? <GenesisFacts genesis={genesis} /> : <NotChecked />}
      </Card>
    </div>
  );
}

function Card({
  title,
  glyph,
  children,
}: {
  title: string;
  glyph?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={`${card.card} ${styles.card}`}>
      <h2>
        {title}
        {glyph}
      </h2>
      <dl className={facts.facts}>{children}</dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Sign({ good, children }: { good: boolean; children: string }) {
  return <Status status={good ? 'online' : 'offline'} word={children} />;
}

function Uptime({ since }: { since: string }) {
  return <>{useTextAt((now) => duration(now - Date.parse(since)))}</>;
}

const age = (ms: number) => {
  if (ms === 0) return 'Up to date';
  return ms < 10_000 ? `at most ${(ms / 1000).toFixed(1)} s` : duration(ms);
};

function GenesisFacts({ genesis }: { genesis: StatusSummary['genesis'] }) {
  const { status, latencyMs, checkedAt, lastSeen, since } = genesis;
  if (status === 'unknown') return <Fact name="Status">the first check is in progress</Fact>;
  return (
    <>
      <Fact name="Status">
        <Sign good={status === 'online'}>{status === 'online' ? 'reachable' : 'no answer'}</Sign>
      </Fact>
      <Fact name="Since">{since ? <RelativeTime at={since} /> : 'before this history begins'}</Fact>
      {status === 'online' ? (
        <Fact name="Latency">{latencyMs} ms</Fact>
      ) : (
        <Fact name="Last seen">
          {lastSeen ? <RelativeTime at={lastSeen} /> : 'never by this server'}
        </Fact>
      )}
      <Fact name="Checked">{checkedAt && <RelativeTime at={checkedAt} />}</Fact>
    </>
  );
}

function NotChecked() {
  return (
    <>
      <Fact name="Status">not checked</Fact>
      <Fact name="To check">
        Set <code>GENESIS_HEALTH_URL</code> to the HTTPS URL of its health check and restart the
        service.
      </Fact>
    </>
  );
}
