import { useEffect, useState } from 'react';
import type { MeshStore } from '#app/features/live/live-store.ts';
import { regionName } from '#app/lib/formatters.ts';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { meshHref, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import styles from './just-joined.module.css';
import type { Joined } from './use-mesh-list.ts';
import { FOCUS_CARD, viewOnMap } from './use-selection.ts';

/** Nodes that are listed. */
const LISTED = 5;

interface Line {
  key: string;
  label: string;
  region: string;
  at: string;
  /** What the link to it selects on the map. */
  selects: Pick<MeshQuery, 'node' | 'at'>;
}

export interface JustJoinedProps {
  store: MeshStore;
  /** The newest nodes as the server knows them. */
  newest: Joined[];
  query: MeshQuery;
}

/** The nodes that joined last: as the page was made, and as they join while it is open. */
export function JustJoined({ store, newest, query }: JustJoinedProps) {
  const live = useJoins(store);
  const known = newest.filter(({ label, region }) =>
    live.every((join) => join.label !== label || join.region !== region),
  );
  const joins: Line[] = [
    ...live,
    ...known.map(({ id, label, region, joinedAt }) => ({
      ...{ key: id, label, region, at: joinedAt },
      selects: { node: id, at: null },
    })),
  ].slice(0, LISTED);
  if (joins.length === 0) return null;
  return (
    <section className={styles.joins} aria-labelledby="joined-title">
      <h3 id="joined-title">Newest nodes</h3>
      <ul>
        {joins.map(({ key, label, region, at, selects }) => (
          <li key={key}>
            <Link
              to={meshHref({ ...query, view: viewOnMap(query), map: null, ...selects })}
              state={FOCUS_CARD}
              preventScrollReset
            >
              {label}
            </Link>
            <span suppressHydrationWarning>
              {region === UNKNOWN_REGION ? '' : (regionName(region) ?? region)}
            </span>
            <RelativeTime at={at} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The nodes that joined since the page was opened, the latest first. */
function useJoins(store: MeshStore): Line[] {
  const [joins, setJoins] = useState<Line[]>([]);
  useEffect(
    () =>
      store.subscribe(({ pulses }) => {
        const at = store.head.updatedAt;
        const fresh = pulses.flatMap(([lat, lng, region, , label], index) => {
          if (label === undefined) return [];
          // A pulse has no id: its place lists the node.
          const selects = { node: null, at: { lat, lng } };
          return [{ key: `${at} ${index}`, label, region, at, selects }];
        });
        if (fresh.length > 0) setJoins((before) => [...fresh, ...before].slice(0, LISTED));
      }),
    [store],
  );
  return joins;
}
