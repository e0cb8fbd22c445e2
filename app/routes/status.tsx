import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import type { Slot, StatusSummary } from '#server/status/index.ts';
import { PageMoment } from '#app/lib/clock.ts';
import { StatusIcon } from '#app/ui/status-icon.tsx';
import { ConnectionStatus } from '#app/features/live/connection-status.tsx';
import { Page } from '#app/ui/page.tsx';
import { StatusCards } from '#app/features/status/cards.tsx';
import { CurveChart, GenesisStrip, StripLegend } from '#app/features/status/charts.tsx';
import { HistoryTable } from '#app/features/status/history-table.tsx';
import { useStatus } from '#app/features/status/use-status.ts';
import { clockTime, reachableInWords, verdict } from '#app/features/status/labels.ts';
import { count } from '#app/lib/formatters.ts';
import { pageMeta } from '#app/lib/page-meta.ts';

export const meta: MetaFunction = () =>
  pageMeta(
    'Status',
    'Whether the service is well: its database, its lists, heartbeats and Genesis, now and over the last 24 hours.',
  );

export const loader = ({ context }: LoaderFunctionArgs) => context.services.status.summary();

export default function StatusPage() {
  const loaded = useLoaderData<typeof loader>();
  const { status, connection } = useStatus(loaded);
  const { state, headline, text } = verdict(status, connection);
  return (
    <PageMoment.Provider value={Date.parse(loaded.at)}>
      <Page
        className="status-page"
        title="Status"
        intro="The service and Genesis, now and over the last 24 hours."
        live={<ConnectionStatus connection={connection} madeAt={loaded.at} />}
      >
        <section className={`card verdict ${state}`} aria-live="polite">
          <StatusIcon status={state} size="L" />
          <h2>{headline}</h2>
          <p>{text}</p>
        </section>
        <StatusCards status={status} />
        <History status={status} />
        <p className="secondary">
          For machines: <a href="/healthz">/healthz</a> (the process lives),{' '}
          <a href="/readyz">/readyz</a> (it can serve), <a href="/metrics">/metrics</a> (for
          Prometheus). How to watch the service with them:{' '}
          <Link to="/docs/status-pages">status pages</Link>.
        </p>
      </Page>
    </PageMoment.Provider>
  );
}

function History({ status: { history, genesis } }: { status: StatusSummary }) {
  const { slots } = history;
  const checked = genesis.configured || history.genesis.upShare !== null;
  const young = history.since !== null && history.since > (slots[0]?.at ?? '');
  const inWords = reachableInWords(history.genesis);
  const slowest = slowestOf(slots);
  return (
    <>
      <p className="secondary">
        All times are UTC, each step is a quarter of an hour.
        {young && ` Collecting since ${clockTime(history.since ?? '')} UTC.`}
      </p>
      {checked && (
        <section className="card status-history">
          <h2>{genesis.label} over 24 hours</h2>
          <p className="secondary">{inWords}</p>
          <GenesisStrip slots={slots} summary={inWords} />
          <StripLegend />
          <h3>Latency</h3>
          <p className="secondary">
            Of the checks that were answered: the line is the mean, the shade reaches to the slowest
            {slowest && `, which took ${count(slowest.ms)} ms at ${clockTime(slowest.at)} UTC`}.
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
      <section className="card status-history">
        <h2>Heartbeats per minute</h2>
        <p className="secondary">Of nodes, as stored. A gap: the service was not running.</p>
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
              : `${count(slot.pingsPerMinute)} a minute, and ${count(slot.announcesPerMinute ?? 0)} announces`
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
