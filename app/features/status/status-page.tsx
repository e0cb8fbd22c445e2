import { useLoaderData } from '@remix-run/react';
import type { Slot, StatusSummary } from '#server/status/index.ts';
import { LivePage } from '#app/features/live/connection-status.tsx';
import { count } from '#app/lib/formatters.ts';
import { Figures, type Figure } from '#app/ui/figures.tsx';
import { Section } from '#app/ui/section.tsx';
import text from '#app/ui/text.module.css';
import { Verdict } from '#app/ui/verdict.tsx';
import { CurveChart } from './charts.tsx';
import { reachableInWords, runningInWords, useTimes, verdict } from './labels.ts';
import { ServiceParts } from './service-parts.tsx';
import styles from './status-page.module.css';
import { GenesisStrip, ServiceStrip, StripLegend } from './strips.tsx';
import { TechnicalDetails } from './technical-details.tsx';
import { useStatus } from './use-status.ts';

/** The state of the service and of Genesis, now and over the last 24 hours. */
export function StatusPage() {
  const loaded = useLoaderData<StatusSummary>();
  const { status, connection } = useStatus(loaded);
  const { state, headline, text: explanation } = verdict(status, connection, useTimes());
  const { genesis, history } = status;
  const checked = genesis.configured || history.genesis.upShare !== null;
  return (
    <LivePage
      connection={connection}
      updatedAt={loaded.at}
      className={styles.page}
      title="Status"
      intro="Current status and the last 24 hours."
    >
      <Verdict state={state} title={headline} text={explanation} live>
        {connection.state !== 'stale' && <Figures figures={figuresOf(status)} />}
      </Verdict>
      <ServiceParts status={status} stale={connection.state === 'stale'} className={styles.parts} />
      <LastDay status={status} checked={checked} />
      {checked && <Latency status={status} />}
      <Heartbeats slots={history.slots} />
      <TechnicalDetails status={status} checked={checked} />
    </LivePage>
  );
}

/** The three numbers that say most. */
const figuresOf = ({ readModel, heartbeats, genesis }: StatusSummary): Figure[] => [
  { label: readModel.peers === 1 ? 'node' : 'nodes', value: count(readModel.peers) },
  { label: 'heartbeats a minute', value: heartbeats ? count(heartbeats.pings) : '–' },
  ...(genesis.latencyMs === null
    ? []
    : [{ label: `to ${genesis.label} and back`, value: `${count(genesis.latencyMs)} ms` }]),
];

function LastDay({ status, checked }: { status: StatusSummary; checked: boolean }) {
  const { history, genesis, at } = status;
  const times = useTimes();
  const service = runningInWords(history, times);
  const reachable = reachableInWords(history.genesis);
  return (
    <Section className={styles.history} title="The last 24 hours">
      <p className={text.secondary}>
        In quarters of an hour, in {times.zone(at)}. Bars above the line worked.
      </p>
      <h3>This service</h3>
      <p className={text.secondary}>{service}</p>
      <ServiceStrip history={history} summary={service} />
      {checked && (
        <>
          <h3>{genesis.label}</h3>
          <p className={text.secondary}>{reachable}</p>
          <GenesisStrip slots={history.slots} summary={reachable} />
        </>
      )}
      <StripLegend />
    </Section>
  );
}

function Latency({ status: { history, genesis } }: { status: StatusSummary }) {
  const times = useTimes();
  const maxOf = ({ latencyMaxMs }: Slot) => latencyMaxMs ?? -1;
  const slowest = history.slots.reduce((a, b) => (maxOf(b) > maxOf(a) ? b : a));
  return (
    <Section className={styles.history} title={`How fast ${genesis.label} answers`}>
      <p className={text.secondary}>
        In milliseconds; lower is better. The line is the average of a quarter of an hour, the
        shaded area reaches up to its slowest answer
        {slowest.latencyMaxMs !== null &&
          ` (at most ${count(slowest.latencyMaxMs)} ms, at ${times.full(slowest.at)})`}
        .
      </p>
      <CurveChart
        slots={history.slots}
        title={`How fast ${genesis.label} answered over 24 hours`}
        unit="ms"
        value={(slot) => slot.latencyMeanMs}
        shade={(slot) => slot.latencyMaxMs ?? 0}
        atLeast={10}
        explain={(slot) =>
          slot.latencyMeanMs === null
            ? 'no answer'
            : `average ${count(slot.latencyMeanMs)} ms, slowest ${count(slot.latencyMaxMs ?? 0)} ms`
        }
      />
    </Section>
  );
}

function Heartbeats({ slots }: { slots: readonly Slot[] }) {
  return (
    <Section className={styles.history} title="Heartbeats per minute">
      <p className={text.secondary}>
        Each node that is online sends about three a minute. A drop means that nodes went offline or
        can’t reach the service; a gap, that it wasn’t running.
      </p>
      <CurveChart
        slots={slots}
        title="Heartbeats per minute over 24 hours"
        unit="a minute"
        value={(slot) => slot.pingsPerMinute}
        shade={() => 0}
        atLeast={10}
        explain={(slot) =>
          slot.pingsPerMinute === null
            ? 'not counted'
            : `${count(slot.pingsPerMinute)} a minute, and ${count(slot.announcesPerMinute ?? 0)} announcements`
        }
      />
    </Section>
  );
}
