import { useEffect, useRef } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import { useLatest } from '#app/lib/polling.ts';
import { Link } from '#app/ui/link.tsx';
import { StateGlyph } from '#app/ui/state-glyph.tsx';
import type { Place } from '#server/mesh/places.schema.ts';
import type { Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import styles from './empty-mesh.module.css';
import { HeartbeatCommand, type HeartbeatService } from './heartbeat-command.tsx';
import type { Selection } from './map/use-drawing.ts';

interface EmptyMeshProps {
  service: HeartbeatService;
  /** Coordinates are rounded to multiples of this many degrees. */
  grid: number;
  genesis: Genesis;
  /** Something is chosen, and on a phone its sheet takes this place. */
  chosen: boolean;
}

/** Over the map of a network without nodes: how to add the first one. */
export const EmptyMesh = ({ service, grid, genesis, chosen }: EmptyMeshProps) => (
  <section className={styles.empty} data-chosen={chosen || undefined} aria-labelledby="empty-title">
    <h2 id="empty-title">No nodes yet</h2>
    <p>
      Run this on any machine with curl. Change the ID and the coordinates first: we round them to{' '}
      {grid}°, and your node appears here with its first heartbeat.
    </p>
    <HeartbeatCommand service={service} />
    <p className={styles.wait}>
      <StateGlyph state="unknown" />
      <span>
        Waiting for the first heartbeat.
        {genesis.status !== 'unknown' && ` ${genesis.label} is ${genesis.status}.`}
      </span>
      <Link to={hrefs.docs.operators()}>Other ways</Link>
    </p>
  </section>
);

/**
 * Opens the first node of a network that was empty while the page was open.
 * @param places null: not known yet
 */
export function useFirstNode(
  places: readonly Place[] | null,
  onSelect: (selection: Selection) => void,
): void {
  const wasEmpty = useRef(false);
  const select = useLatest(onSelect);
  useEffect(() => {
    const [first] = places ?? [];
    if (places && wasEmpty.current && first)
      select.current({ at: { lat: first.lat, lng: first.lng } });
    if (places) wasEmpty.current = first === undefined;
  }, [places, select]);
}
