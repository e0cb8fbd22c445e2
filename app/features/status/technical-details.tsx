import type { ReactNode } from 'react';
import { Link } from '@remix-run/react';
import type { Slot, StatusSummary } from '#server/status/index.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useTextAt } from '#app/lib/clock.ts';
import { count } from '#app/lib/formatters.ts';
import { ExactTime, RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import { duration, useTimes } from './labels.ts';
import styles from './technical-details.module.css';

/** The numbers behind the state, each with its explanation, for people who run such services. */
export function TechnicalDetails({ status, checked }: { status: StatusSummary; checked: boolean }) {
  const { service, readModel, genesis, history } = status;
  return (
    <details className={styles.details}>
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
        <a href={hrefs.healthz()}>/healthz</a> (the process is running),{' '}
        <a href={hrefs.readyz()}>/readyz</a> (it can serve requests),{' '}
        <a href={hrefs.metrics()}>/metrics</a> (for Prometheus).{' '}
        <Link to={hrefs.docs.statusPages()}>How to build a status page</Link>
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

interface Column {
  head: string;
  cell: (hour: Slot) => string;
}

const CHECKS: Column[] = [
  { head: 'Answered', cell: ({ checksOk }) => count(checksOk) },
  { head: 'Failed', cell: ({ checksFailed }) => count(checksFailed) },
  { head: 'Latency, mean', cell: ({ latencyMeanMs }) => known(latencyMeanMs, ' ms') },
  { head: 'highest', cell: ({ latencyMaxMs }) => known(latencyMaxMs, ' ms') },
];
const REPORTS: Column[] = [
  { head: 'Heartbeats a minute', cell: ({ pingsPerMinute }) => known(pingsPerMinute) },
  { head: 'Announcements a minute', cell: ({ announcesPerMinute }) => known(announcesPerMinute) },
];

/** The data of the charts by hour: for screen readers, and for exact numbers. */
function HistoryTable({ slots, genesis }: { slots: readonly Slot[]; genesis: boolean }) {
  const columns = genesis ? [...CHECKS, ...REPORTS] : REPORTS;
  return (
    <div
      className={styles.scroll}
      role="region"
      aria-label="The last 24 hours by hour"
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">Hour</th>
            {columns.map(({ head }) => (
              <th key={head} scope="col" className={text.number}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {hoursOf(slots).map((hour) => (
            <tr key={hour.at}>
              <th scope="row">
                <ExactTime at={hour.at} precision="minute" />
              </th>
              {columns.map(({ head, cell }) => (
                <td key={head} className={text.number}>
                  {cell(hour)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const known = (n: number | null, unit = '') => (n === null ? 'no data' : `${count(n)}${unit}`);

/** Four quarter-hours as one, newest first. A mean of means: near enough for a table. */
function hoursOf(slots: readonly Slot[]): Slot[] {
  const hours = new Set(slots.map(({ at }) => at.slice(0, 13)));
  const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
  return [...hours].reverse().map((hour) => {
    const parts = slots.filter(({ at }) => at.startsWith(hour));
    const values = (of: (slot: Slot) => number | null) =>
      parts.map(of).filter((value) => value !== null);
    const mean = (numbers: number[]) =>
      numbers.length === 0 ? null : Math.round(sum(numbers) / numbers.length);
    const maxima = values((slot) => slot.latencyMaxMs);
    return {
      at: `${hour}:00:00.000Z`,
      checksOk: sum(values((slot) => slot.checksOk)),
      checksFailed: sum(values((slot) => slot.checksFailed)),
      latencyMeanMs: mean(values((slot) => slot.latencyMeanMs)),
      latencyMaxMs: maxima.length === 0 ? null : Math.max(...maxima),
      pingsPerMinute: mean(values((slot) => slot.pingsPerMinute)),
      announcesPerMinute: mean(values((slot) => slot.announcesPerMinute)),
    };
  });
}
