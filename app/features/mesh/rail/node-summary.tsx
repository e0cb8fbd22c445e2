import { useEffect, useRef, useState } from 'react';
import { KindIcon } from '#app/ui/kind-icon.tsx';
import { Link } from '#app/ui/link.tsx';
import { UptimeStrip } from '#app/features/uptime/uptime-strip.tsx';
import { dayOfStrip } from '#app/features/uptime/uptime-text.ts';
import { count, freeSlotsText, percent } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import type { NodeSummary } from '#server/nodes/index.ts';
import { api } from '../use-answer.ts';
import styles from './node-summary.module.css';

/**
 * What the service knows about a node besides its heartbeats. It is asked for when another node is chosen or the state of
 * this one changes, not with every heartbeat.
 * @param loaded of the node that the page came with
 */
export function useNodeSummary(
  id: string | null,
  status: string | undefined,
  loaded: NodeSummary | null,
): NodeSummary | null {
  const [found, setFound] = useState(loaded);
  const key = `${id} ${status}`;
  const known = useRef(loaded && key);
  useEffect(() => {
    if (id === null || known.current === key) return;
    known.current = key;
    const gone = new AbortController();
    api()
      .then(({ summary }) => summary.query({ id }, { signal: gone.signal }))
      // Without an answer the rail has what the heartbeats say.
      .then(setFound, () => undefined);
    return () => gone.abort();
  }, [id, key]);
  return found?.id === id ? found : null;
}

/** Its last 30 days, and the names that it has. */
export const NodeHistory = ({ days, uptime, names }: NodeSummary) => (
  <>
    {days && (
      <section className={styles.part} aria-label="Uptime">
        <p className={styles.head}>
          <span>30 days</span> <b>{uptime === null ? 'no data yet' : percent(uptime)}</b>
        </p>
        <UptimeStrip offline={days.offline} place="rail" />
        <p className={styles.axis}>
          <span>{dayText(dayOfStrip(days, 0))}</span> <span>today</span>
        </p>
      </section>
    )}
    {names.length > 0 && (
      <section className={styles.part} aria-labelledby="node-card-names">
        <h3 id="node-card-names">Names</h3>
        <ul className={styles.names}>
          {names.map(({ name, kinds }) => (
            <li key={name}>
              <Link to={hrefs.name(name)}>
                <KindIcon kind={kinds[0] ?? null} />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </section>
    )}
  </>
);

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayText = (day: string) => DAY.format(Date.parse(day));

/** How many offers are listed, and what is free of them. */
export const offersText = ({ offers, freeSlots }: NodeSummary): string =>
  offers === 0 ? 'none' : `${count(offers)}, ${freeSlotsText(freeSlots)}`;
