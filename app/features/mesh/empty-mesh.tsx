import { Link } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import card from '#app/ui/card.module.css';
import styles from './empty-mesh.module.css';
import { HeartbeatCommand, type HeartbeatService } from './heartbeat-command.tsx';

export interface EmptyMeshProps {
  service: HeartbeatService;
  /** Coordinates are rounded to multiples of this many degrees. */
  grid: number;
}

/** Shown while no node has joined: how to add the first one. */
export function EmptyMesh({ service, grid }: EmptyMeshProps) {
  return (
    <section className={`${card.padded} ${styles.empty}`} aria-labelledby="empty-title">
      <h2 id="empty-title">No nodes yet</h2>
      <p>
        Once a node sends its first heartbeat, it appears here. Choose its ID and its coordinates;
        we round them to {grid}°.
      </p>
      <HeartbeatCommand service={service} />
      <p>
        To keep it online, use <Link to={hrefs.docs.operators()}>mesh-agent</Link>.
      </p>
    </section>
  );
}
