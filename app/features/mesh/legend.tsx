import { NODE_CLASSES } from '#server/common/values.schema.ts';
import { PEER_STATUSES } from '#server/mesh/values.schema.ts';
import { Status, StatusIcon } from '#app/ui/status-icon.tsx';

/** What the signs on the map mean. */
export function Legend() {
  return (
    <ul className="legend card" aria-label="Legend">
      <li className="legend-sizes">
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
