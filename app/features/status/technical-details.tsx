import type { ReactNode } from 'react';
import { Link } from '@remix-run/react';
import type { StatusSummary } from '#server/status/index.ts';
import { useTextAt } from '#app/lib/clock.ts';
import { count } from '#app/lib/formatters.ts';
import card from '#app/ui/card.module.css';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import text from '#app/ui/text.module.css';
import { HistoryTable } from './history-table.tsx';
import { duration } from './labels.ts';
import styles from './technical-details.module.css';
import { useTimes } from './use-times.ts';

/** The numbers behind the state, each with its explanation, for people who run such services. */
export function TechnicalDetails({ status, checked }: { status: StatusSummary; checked: boolean }) {
  const { service, readModel, genesis, history } = status;
  return (
    <details className={`${card.card} ${styles.details}`}>
      <summary>Technical details</summary>
      <h3>Service</h3>
      <dl>
        <Fact name="Version" value={service.version} />
        <Fact name="Process" value={<Uptime since={service.startedAt} />}>
          How long the server process that answered has been running. A restart doesn’t interrupt
          the service if others run beside it.
        </Fact>
        <Fact
          name="Database"
          value={service.engine === 'embedded' ? 'PostgreSQL, embedded' : 'PostgreSQL'}
        >
          {service.database === 'up'
            ? service.storage === 'full'
              ? 'It responds, but its disk is full: writes are rejected.'
              : 'It responds.'
            : 'It doesn’t respond. Reads are served from memory; writes are rejected.'}
        </Fact>
      </dl>
      <h3>Read model</h3>
      <dl>
        <Fact name="Lag" value={age(readModel.ageMs)}>
          Reads come from a copy in memory. This is how far it may be behind the database.
        </Fact>
        <Fact name="Nodes" value={count(readModel.peers)} />
        <Fact name="Compute offers" value={count(readModel.computes)}>
          All that were announced, listed or not.
        </Fact>
        <Fact name="Registrations" value={count(readModel.registrations)}>
          In any state, ended ones as well.
        </Fact>
      </dl>
      <h3>Heartbeats</h3>
      <Heartbeats heartbeats={status.heartbeats} />
      <h3>{genesis.label}</h3>
      <GenesisFacts genesis={genesis} />
      <h3>The last 24 hours by hour</h3>
      <HistoryTable slots={history.slots} genesis={checked} />
      <h3>For machines</h3>
      <p className={text.secondary}>
        <a href="/healthz">/healthz</a> (the process is running), <a href="/readyz">/readyz</a> (it
        can serve requests), <a href="/metrics">/metrics</a> (for Prometheus).{' '}
        <Link to="/docs/status-pages">How to build a status page</Link>
      </p>
    </details>
  );
}

function Fact({ name, value, children }: { name: string; value: ReactNode; children?: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
      {children && <dd>{children}</dd>}
    </div>
  );
}

function Uptime({ since }: { since: string }) {
  return <>{useTextAt((now) => duration(now - Date.parse(since)))}</>;
}

const age = (ms: number) => {
  if (ms === 0) return 'none';
  return ms < 10_000 ? `at most ${(ms / 1000).toFixed(1)} s` : duration(ms);
};

function Heartbeats({ heartbeats }: Pick<StatusSummary, 'heartbeats'>) {
  const times = useTimes();
  if (!heartbeats) return <p className={text.secondary}>Counting the first minute.</p>;
  return (
    <dl>
      <Fact name="Heartbeats" value={`${count(heartbeats.pings)} a minute`}>
        Stored during the minute that began at {times.full(heartbeats.minute)}.
      </Fact>
      <Fact name="Announcements" value={`${count(heartbeats.announces)} a minute`}>
        Lists of compute offers that were stored in the same minute.
      </Fact>
      <Fact name="Processes" value={count(heartbeats.servers)}>
        Server processes that counted.
      </Fact>
    </dl>
  );
}

function GenesisFacts({ genesis }: Pick<StatusSummary, 'genesis'>) {
  const { configured, latencyMs, checkedAt, lastSeen } = genesis;
  if (!configured)
    return (
      <p className={text.secondary}>
        Not checked. To check it, set <code>GENESIS_HEALTH_URL</code> to the HTTPS URL of its health
        check and restart the service.
      </p>
    );
  return (
    <dl>
      <Fact name="Checked" value={checkedAt ? <RelativeTime at={checkedAt} /> : 'not yet'}>
        Every 10 seconds, over HTTPS.
      </Fact>
      <Fact name="Latency" value={latencyMs === null ? 'unknown' : `${count(latencyMs)} ms`}>
        From the request to the response of the last check that was answered.
      </Fact>
      <Fact
        name="Last seen"
        value={lastSeen ? <RelativeTime at={lastSeen} /> : 'never by this server'}
      />
    </dl>
  );
}
