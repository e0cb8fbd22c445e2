import { FirstPing, type FirstPingProps } from './heartbeat-command.tsx';

/** A network that nobody has joined yet: how the first node does. */
export function EmptyMesh(firstPing: FirstPingProps) {
  return (
    <div className="empty-mesh card">
      <h2>No node has sent a heartbeat yet</h2>
      <p>
        The first one appears here as soon as it does. Choose an id, and where on the map it lies;
        the place is rounded to half a degree.
      </p>
      <FirstPing {...firstPing} />
    </div>
  );
}
