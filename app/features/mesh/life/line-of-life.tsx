import { Link } from '#app/ui/link.tsx';
import button from '#app/ui/button.module.css';
import { meshHref, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import styles from './line-of-life.module.css';

/** Below the map: how the network lives, and the way back through its days. */
export const LineOfLife = ({ query }: { query: MeshQuery }) => (
  <section className={`${styles.life} needs-scripts`} aria-label="Activity">
    <Link
      className={button.button}
      to={meshHref({ ...query, view: 'map', replay: { span: '24h', at: null } })}
      preventScrollReset
    >
      <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden>
        <path d="M6 4l10 6l-10 6Z" fill="currentColor" />
      </svg>
      Replay
    </Link>
  </section>
);
