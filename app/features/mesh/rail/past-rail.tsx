import { nodes } from '#app/lib/formatters.ts';
import styles from './rail.module.css';

/** Beside the map of a past moment: what it had then. @param props.nodes null: not known, or not yet */
export const PastRail = (props: { nodes: number | null }) => (
  <section className={styles.rail} aria-labelledby="overview-title">
    <div className={styles.total}>
      <h2 id="overview-title">{props.nodes === null ? 'Another time' : nodes(props.nodes)}</h2>
      <p className={styles.phase}>Not live</p>
    </div>
  </section>
);
