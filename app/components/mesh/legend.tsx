import { NODE_CLASSES, PEER_STATUSES } from '../../../server/schemas/values.ts';
import { Status, StatusGlyph } from '../glyph.tsx';

/** What the signs on the map mean. */
export function Legend() {
  return (
    <ul className="legend card" aria-label="Legend">
      <li className="legend-sizes">
        Class
        {NODE_CLASSES.map((size) => (
          <span key={size}>
            <StatusGlyph status="online" size={size} />
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
