import { count } from '#app/lib/formatters.ts';
import card from '#app/ui/card.module.css';
import text from '#app/ui/text.module.css';
import styles from './directory-totals.module.css';
import type { Totals } from './select-computes.ts';
import { ShareBar } from './share-bar.tsx';

/** Totals of the whole directory, whatever the filters. */
export function DirectoryTotals({ totals }: { totals: Totals }) {
  const { total, nodes, replicas, freeSlots, freeReplicas } = totals;
  const share = replicas === 0 ? 0 : freeReplicas / replicas;
  return (
    <section className={`${card.card} ${styles.totals}`} aria-label="Totals">
      <dl className={styles.counts}>
        {[
          { name: total === 1 ? 'offer' : 'offers', value: total },
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
      <div className={styles.capacity}>
        <ShareBar share={share} status="available" />
        <p className={text.secondary}>{Math.floor(share * 100)}% of replicas available</p>
      </div>
    </section>
  );
}
