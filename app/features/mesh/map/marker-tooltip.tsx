import card from '#app/ui/card.module.css';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { count } from '#app/lib/formatters.ts';
import { describeMarker, type NamedNode, type Pointed } from './marker-description.ts';
import type { Circle } from './mercator.ts';
import styles from './marker-tooltip.module.css';

/** What is pointed at, and where it is on the map, CSS px. */
export interface PointedAt extends Circle {
  pointed: Pointed;
  /** By the keyboard's cursor. */
  byKeyboard: boolean;
}

interface MarkerTooltipProps {
  at: PointedAt;
  /** Its only node, once it is known. */
  node: NamedNode | null;
  /** Of the map, CSS px. */
  width: number;
}

/** Beside the marker under the pointer or the keyboard's cursor: how many nodes, in which states, and where. */
export function MarkerTooltip({ at, node, width }: MarkerTooltipProps) {
  const { pointed, x, y, radius } = at;
  const { title, where, statuses } = describeMarker(pointed, node?.label);
  return (
    <div
      role="tooltip"
      className={`${card.floating} ${styles.tooltip}`}
      data-left={x > width / 2 || undefined}
      style={{ left: x + (x > width / 2 ? -radius : radius), top: y }}
    >
      <b>{title}</b>
      {where && <p>{where}</p>}
      {statuses.length > 0 && (
        <ul>
          {statuses.map(({ status, count: n }) => (
            <li key={status}>
              <StateGlyph state={status} />
              {node ? (
                <span>
                  {status}, last heartbeat <RelativeTime at={node.lastSeen} />
                </span>
              ) : (
                `${count(n)} ${status}`
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
