import { count } from '#app/lib/formatters.ts';
import card from '#app/ui/card.module.css';
import { statusColor } from '#app/ui/status-icon.tsx';
import text from '#app/ui/text.module.css';
import styles from './directory-totals.module.css';
import type { Totals } from './select-computes.ts';

/** Totals of the whole directory, whatever the filters. */
export function DirectoryTotals({ totals }: { totals: Totals }) {
  const { total, nodes, replicas, freeSlots, available } = totals;
  return (
    <section className={`${card.card} ${styles.totals}`} aria-label="Totals">
      <dl className={styles.counts}>
        {Object.entries({
          offer: total,
          node: nodes,
          replica: replicas,
          'free slot': freeSlots,
        }).map(([noun, value]) => (
          <div key={noun}>
            <dt>{value === 1 ? noun : `${noun}s`}</dt>
            <dd>{count(value)}</dd>
          </div>
        ))}
      </dl>
      <div className={styles.capacity}>
        <StatusBar totals={totals} />
        <p className={text.secondary}>
          {count(available)} of {count(total)} {total === 1 ? 'offer' : 'offers'} available
        </p>
      </div>
      <p className={`${text.secondary} ${styles.terms}`}>
        A <strong>slot</strong> is room for one unit of work. A <strong>replica</strong> is a
        running copy of the image, and may have several slots. Only available offers have free
        slots.
      </p>
    </section>
  );
}

/**
 * The available offers and the busy ones after them, beside a text that says the same. An SVG, because the page's
 * policy forbids inline styles.
 */
function StatusBar({ totals: { total, available, busy } }: { totals: Totals }) {
  const bar = (status: 'available' | 'busy', n: number) => (
    <rect
      className={statusColor(status)}
      width={(n / Math.max(total, 1)) * 100}
      height="8"
      fill="currentColor"
    />
  );
  return (
    <svg className={styles.bar} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden>
      {bar('busy', available + busy)}
      {bar('available', available)}
    </svg>
  );
}
