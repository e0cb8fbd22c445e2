import type { Totals } from './query.ts';
import { count } from '#app/lib/formatters.ts';
import { ShareBar } from './slots.tsx';

/** Totals of the whole directory, whatever the filters. */
export function DirectoryTotals({ totals }: { totals: Totals }) {
  const { total, nodes, replicas, freeSlots, freeReplicas } = totals;
  const share = replicas === 0 ? 0 : freeReplicas / replicas;
  return (
    <section className="directory-totals card" aria-label="The whole directory">
      <dl>
        {[
          { name: total === 1 ? 'compute' : 'computes', value: total },
          { name: nodes === 1 ? 'node' : 'nodes', value: nodes },
          { name: replicas === 1 ? 'replica' : 'replicas', value: replicas },
          { name: freeSlots === 1 ? 'free slot' : 'free slots', value: freeSlots },
        ].map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count(value)}</dd>
          </div>
        ))}
      </dl>
      <div className="capacity">
        <ShareBar share={share} className="available" />
        <p>{Math.floor(share * 100)} % of the configured replicas available</p>
      </div>
    </section>
  );
}
