import { NODE_CLASSES } from '#server/common/values.schema.ts';
import { PEER_STATUSES } from '#server/mesh/values.schema.ts';
import card from '#app/ui/card.module.css';
import { Status, StatusIcon } from '#app/ui/status-icon.tsx';
import styles from './legend.module.css';

/** What the signs on the map mean. A phone has no room for it; its filters show the same icons. */
export function Legend() {
  return (
    <ul className={`${card.floating} ${styles.legend}`} aria-label="Legend">
      <li className={styles.classes}>
        Class
        {NODE_CLASSES.map((size) => (
          <span key={size}>
            <StatusIcon status="online" size={size} />
            {size}
          </span>
        ))}
      </li>
      {PEER_STATUSES.map((status) => (
        <li key={status}>
          <Status status={status} />
        </li>
      ))}
    </ul>
  );
}
