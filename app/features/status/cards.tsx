import type { ReactNode } from 'react';
import type { StatusSummary } from '#server/status/index.ts';
import { useTextAt } from '#app/lib/clock.ts';
import { count } from '#app/lib/formatters.ts';
import { GenesisIcon, StatusIcon } from '#app/ui/status-icon.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { clockTime, duration } from './labels.ts';

/** The four parts of the service as they are now. */
export function StatusCards({ status }: { status: StatusSummary }) {
  const { service, readModel, heartbeats, genesis } = status;
  return (
    <div className="status-cards">
      <Card title="Service">
        <Fact name="Version">{service.version}</Fact>
        <Fact name="Up for">
          <Uptime since={service.startedAt} />
        </Fact>
        <Fact name="Database">
          {service.engine === 'embedded' ? 'embedded (PGlite)' : 'PostgreSQL'}
        </Fact>
        <Fact name="State">
          <Sign good={service.database === 'up'}>
            {service.database === 'up' ? 'reachable' : 'away'}
          </Sign>
        </Fact>
        <Fact name="Degraded">{service.degraded ? 'yes' : 'no'}</Fact>
      </Card>
      <Card title="Read model">
        <Fact name="Behind">{age(readModel.ageMs)}</Fact>
        <Fact name="Nodes">{count(readModel.peers)}</Fact>
        <Fact name="Computes">{count(readModel.computes)}</Fact>
        <Fact name="Registrations">{count(readModel.registrations)}</Fact>
      </Card>
      <Card title="Heartbeats">
        {heartbeats ? (
          <>
            <Fact name="Nodes">{count(heartbeats.pings)} a minute</Fact>
            <Fact name="Hosts">{count(heartbeats.announces)} a minute</Fact>
            <Fact name="Counted">{clockTime(heartbeats.minute)} UTC</Fact>
            <Fact name="Servers">
              {heartbeats.servers} {heartbeats.servers === 1 ? 'process' : 'processes'}
            </Fact>
          </>
        ) : (
          <Fact name="Nodes">the first minute is being counted</Fact>
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
    <section className="card status-card">
      <h2>
        {title}
        {glyph}
      </h2>
      <dl className="facts">{children}</dl>
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

function Sign({ good, children }: { good: boolean; children: ReactNode }) {
  return (
    <span className="status">
      <StatusIcon status={good ? 'online' : 'offline'} />
      {children}
    </span>
  );
}

function Uptime({ since }: { since: string }) {
  return <>{useTextAt((now) => duration(now - Date.parse(since)))}</>;
}

const age = (ms: number) => {
  if (ms === 0) return 'not at all';
  return ms < 10_000 ? `at most ${(ms / 1000).toFixed(1)} s` : duration(ms);
};

function GenesisFacts({ genesis }: { genesis: StatusSummary['genesis'] }) {
  const { status, latencyMs, checkedAt, lastSeen, since } = genesis;
  if (status === 'unknown') return <Fact name="Status">the first check is under way</Fact>;
  return (
    <>
      <Fact name="Status">
        <Sign good={status === 'online'}>{status === 'online' ? 'reachable' : 'no answer'}</Sign>
      </Fact>
      <Fact name="Since">{since ? <RelativeTime at={since} /> : 'before what is shown here'}</Fact>
      {status === 'online' ? (
        <Fact name="Latency">{latencyMs} ms</Fact>
      ) : (
        <Fact name="Last seen">
          {lastSeen ? <RelativeTime at={lastSeen} /> : 'not by this server'}
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
        Set <code>GENESIS_HEALTH_URL</code> to the https address of its health check and start the
        service again.
      </Fact>
    </>
  );
}
