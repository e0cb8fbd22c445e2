import { Link, useLoaderData } from '@remix-run/react';
import type { Slot, StatusSummary } from '#server/status/index.ts';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { PageMoment } from '#app/lib/clock.ts';
import { count } from '#app/lib/formatters.ts';
import type { loader } from '#app/routes/status.tsx';
import card from '#app/ui/card.module.css';
import { Page } from '#app/ui/page.tsx';
import { StatusIcon } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import { StatusCards } from './cards.tsx';
import { CurveChart, GenesisStrip, StripLegend } from './charts.tsx';
import { HistoryTable } from './history-table.tsx';
import { clockTime, reachableInWords, verdict } from './labels.ts';
import styles from './status.module.css';
import { useStatus } from './use-status.ts';

/** The state of the service and of Genesis, now and over the last 24 hours. */
export function StatusPage() {
  const loaded = useLoaderData<typeof loader>();
  const { status, connection } = useStatus(loaded);
  const { state, headline, text: explanation } = verdict(status, connection);
  return (
    <PageMoment.Provider value={Date.parse(loaded.at)}>
      <Page
        className={styles.page}
        title="Status"
        intro="The service and Genesis, now and over the last 24 hours."
        live={<ConnectionStatus connection={connection} renderedAt={loaded.at} />}
      >
        <section
          className={`${card.card} ${styles.verdict} ${state === 'offline' ? styles.down : ''}`}
          aria-live="polite"
        >
          <StatusIcon status={state} size="L" />
          <h2>{headline}</h2>
          <p>{explanation}</p>
        </section>
        <StatusCards status={status} />
        <History status={status} />
        <p className={text.secondary}>
          For machines: <a href="/healthz">/healthz</a> (the process is running),{' '}
          <a href="/readyz">/readyz</a> (it can serve requests), <a href="/metrics">/metrics</a>{' '}
          (for Prometheus). <Link to="/docs/status-pages">How to build a status page</Link>
        </p>
      </Page>
    </PageMoment.Provider>
  );
}

function History({ status: { history, genesis } }: { status: StatusSummary }) {
  const { slots } = history;
  const checked = genesis.configured || history.genesis.upShare !== null;
  const young = history.since !== null && history.since > (slots[0]?.at ?? '');
  const summary = reachableInWords(history.genesis);
  const slowest = slowestOf(slots);
  return (
    <>
      <p className={text.secondary}>
        Times are in UTC, in steps of 15 minutes.
        {young && ` Collecting data since ${clockTime(history.since ?? '')} UTC.`}
      </p>
      {checked && (
        <section className={`${card.card} ${styles.history}`}>
          <h2>{genesis.label} over 24 hours</h2>
          <p className={text.secondary}>{summary}</p>
          <GenesisStrip slots={slots} summary={summary} />
          <StripLegend />
          <h3>Latency</h3>
          <p className={text.secondary}>
            Answered checks only. The line is the mean; the shaded area reaches up to the slowest
            {slowest && ` (${count(slowest.ms)} ms at ${clockTime(slowest.at)} UTC)`}.
          </p>
          <CurveChart
            slots={slots}
            title="Latency of Genesis over 24 hours"
            unit="ms"
            value={(slot) => slot.latencyMeanMs}
            shade={(slot) => slot.latencyMaxMs ?? 0}
            atLeast={10}
            explain={(slot) =>
              slot.latencyMeanMs === null
                ? 'no answer'
                : `mean ${slot.latencyMeanMs} ms, slowest ${slot.latencyMaxMs ?? 0} ms`
            }
          />
        </section>
      )}
      <section className={`${card.card} ${styles.history}`}>
        <h2>Heartbeats per minute</h2>
        <p className={text.secondary}>Heartbeats stored. A gap means the service wasn’t running.</p>
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
      </section>
      <HistoryTable slots={slots} genesis={checked} />
    </>
  );
}

function slowestOf(slots: readonly Slot[]): { at: string; ms: number } | undefined {
  const known = slots.flatMap(({ at, latencyMaxMs }) =>
    latencyMaxMs === null ? [] : [{ at, ms: latencyMaxMs }],
  );
  return known.sort((a, b) => b.ms - a.ms)[0];
}
