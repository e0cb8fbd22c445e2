import { PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import type { TrendDay } from '#server/uptime/index.ts';
import { count, dateText, percent } from '#app/lib/formatters.ts';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import styles from './read-out.module.css';
import { shareOf } from './trends-text.ts';

/** The chosen day in numbers. It stays in view while the charts scroll below it. */
export function ReadOut({ day }: { day: TrendDay }) {
  const { nodes, freeSlots, names } = day;
  return (
    <div className={styles.readOut}>
      <time dateTime={day.day}>{dateText(day.day)}</time>
      {nodes === null ? (
        <span>Not measured: the service was down.</span>
      ) : (
        <>
          <span>
            <b>{count(nodes)}</b> {nodes === 1 ? 'node' : 'nodes'}
          </span>
          {PEER_STATUSES.map((status) => {
            const share = shareOf(day, status);
            return (
              share !== null && (
                <span key={status} className={status === 'online' ? undefined : styles.more}>
                  <StateGlyph state={status} />
                  <b>{percent(share)}</b> {status}
                </span>
              )
            );
          })}
          {freeSlots !== null && (
            <span className={styles.more}>
              <b>{count(freeSlots)}</b> free {freeSlots === 1 ? 'slot' : 'slots'}
            </span>
          )}
          {names !== null && (
            <span className={styles.more}>
              <b>{count(names)}</b> {names === 1 ? 'name' : 'names'}
            </span>
          )}
        </>
      )}
      <span className={`${styles.keys} needs-scripts`}>Arrow keys to move, Esc for today</span>
    </div>
  );
}
