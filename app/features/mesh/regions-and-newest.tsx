import { Link } from '@remix-run/react';
import { meshHref, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import type { Peer } from '#server/mesh/mesh.schema.ts';
import { count } from '#app/lib/formatters.ts';
import { byCount, regionName } from '#app/lib/regions.ts';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import text from '#app/ui/text.module.css';
import styles from './regions-and-newest.module.css';
import { FOCUS_CARD, nodeOnMap } from './use-selection.ts';

/** Regions listed here. The filter has them all. */
const REGIONS = 8;

export interface RegionsAndNewestProps {
  byRegion: Record<string, number>;
  newest: Peer[];
  query: MeshQuery;
  onOpen: (open: boolean) => void;
}

/** The largest regions and the newest nodes, folded in the panel. */
export function RegionsAndNewest({ byRegion, newest, query, onOpen }: RegionsAndNewestProps) {
  const regions = byCount(byRegion);
  if (regions.length === 0) return null;
  return (
    <details
      className={styles.details}
      onToggle={({ currentTarget }) => onOpen(currentTarget.open)}
    >
      <summary>Regions and newest nodes</summary>
      <section aria-labelledby="regions-title">
        <h3 id="regions-title">Regions</h3>
        <ul className={styles.regions}>
          {regions.slice(0, REGIONS).map(([region, n]) => (
            <li key={region}>
              <Link
                to={meshHref({ ...query, region, page: 1 })}
                preventScrollReset
                aria-current={query.region === region || undefined}
                title={regionName(region) ?? undefined}
                suppressHydrationWarning
              >
                <span>{region}</span> {count(n)}
              </Link>
            </li>
          ))}
        </ul>
        {regions.length > REGIONS && (
          <p className={text.secondary}>
            {count(regions.length - REGIONS)} more in the region filter
          </p>
        )}
      </section>
      <section aria-labelledby="newest-title">
        <h3 id="newest-title">Newest nodes</h3>
        <ul className={styles.newest}>
          {newest.map((peer) => (
            <li key={peer.id}>
              <Link to={nodeOnMap(query, peer.id)} state={FOCUS_CARD} preventScrollReset>
                {peer.label}
              </Link>
              <RelativeTime at={peer.joinedAt} />
            </li>
          ))}
        </ul>
      </section>
    </details>
  );
}
