import { Link } from '@remix-run/react';
import { memo } from 'react';
import type { Compute } from '#server/computes/computes.schema.ts';
import { Status } from '#app/ui/status-icon.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { Slots } from './slots.tsx';

export interface ComputeRowProps {
  compute: Compute;
  /** Its place in the whole list, from 0. */
  index: number;
  /** Measures the row where the list is virtual. */
  measure?: ((row: HTMLTableRowElement | null) => void) | undefined;
}

/**
 * The store replaces a compute when it changes: a row is rendered again only then, or when it moves.
 * The header of the table is row 1 to a screen reader.
 */
export const ComputeRow = memo(function ComputeRow({ compute, index, measure }: ComputeRowProps) {
  const { name, nodeId, label, image, visibility, backend, status } = compute;
  return (
    <tr
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-id={compute.id}
      className={status === 'offline' ? 'gone' : undefined}
      ref={measure}
    >
      <th role="rowheader" scope="row" className="name">
        {/* Remix would ask the server for the route of every link on the page: there are thousands. */}
        <Link to={`/registry/${name}`}>{name}</Link>
      </th>
      <td role="cell" className="node">
        <Link to={`/nodes/${nodeId}`} title={label === nodeId ? undefined : nodeId}>
          {label}
        </Link>
      </td>
      <td role="cell" className="image" title={image}>
        <code>{image}</code>
      </td>
      <td role="cell" className="class">
        {compute.class}
      </td>
      <td role="cell" className="backend">
        {backend}
      </td>
      <td role="cell" className="visibility">
        {visibility}
      </td>
      <td role="cell" className="free">
        <Slots freeSlots={compute.freeSlots} replicas={compute.replicas} status={status} />
      </td>
      <td role="cell" className="state">
        <Status status={status} />
      </td>
      <td role="cell" className="seen">
        <RelativeTime at={compute.lastSeen} />
      </td>
    </tr>
  );
});
