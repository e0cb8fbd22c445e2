import { PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import { count, nodes } from '#app/lib/formatters.ts';
import { StateBar } from '#app/ui/state-bar.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { MEANING } from '../legend.tsx';
import { nodesOf, type Past } from '../replay/steps.ts';
import past from './past-rail.module.css';
import styles from './rail.module.css';

/** Beside the map of a past moment: how the network was then. @param props.past null: not loaded yet */
export function PastRail(props: { past: Past | null }) {
  const { time, totals, measured = true, nodes: heard = 0 } = props.past ?? {};
  const total = totals ? nodesOf(totals) : heard;
  return (
    <section className={styles.rail} aria-labelledby="overview-title">
      <div className={styles.total}>
        <h2 id="overview-title">{props.past && measured ? nodes(total) : 'Another time'}</h2>
        <p className={styles.phase}>{time ? `on ${time}` : 'Not live'}</p>
      </div>
      {totals && (
        <div className={styles.states}>
          <StateBar counts={PEER_STATUSES.map((status) => [status, totals[status]] as const)} />
          <dl className={past.states} aria-label="Status">
            {PEER_STATUSES.map((status) => (
              <div key={status}>
                <StateGlyph state={status} size={14} />
                <dt>
                  <b>{status}</b> <small>{MEANING[status]}</small>
                </dt>
                <dd>{count(totals[status])}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
      <p className={`${styles.part} ${past.note}`}>
        {measured
          ? `The map shows where nodes sent heartbeats. Past times have counts per place, no states, so the rings have one color.${totals ? ' The counts above are averages for the time shown and include nodes that were removed later.' : ''}`
          : 'Not measured: the service was down.'}
      </p>
    </section>
  );
}
