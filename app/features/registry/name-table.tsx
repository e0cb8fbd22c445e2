import { Link } from '@remix-run/react';
import { memo } from 'react';
import type { RegistryEntry } from '#server/registry/registry.schema.ts';
import { capacity } from '#app/lib/formatters.ts';
import { Status } from '#app/ui/status-icon.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';

/** Active names with what is there of them now. */
export function NameTable({ entries }: { entries: RegistryEntry[] }) {
  // The roles are a table's anyway, but a narrow screen lays the rows out as a grid, and browsers then forget.
  return (
    <table className="table names" role="table">
      <caption className="visually-hidden">Active names</caption>
      <thead role="rowgroup">
        <tr role="row">
          {['Name', 'Kinds', 'Label', 'Class', 'Region', 'Node', 'Compute', 'Active since'].map(
            (head) => (
              <th
                key={head}
                role="columnheader"
                scope="col"
                className={head === 'Active since' ? 'num' : undefined}
              >
                {head}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {entries.map((entry) => (
          <NameRow key={entry.name} entry={entry} />
        ))}
      </tbody>
    </table>
  );
}

const NameRow = memo(function NameRow({ entry }: { entry: RegistryEntry }) {
  const { name, kinds, label, node, compute } = entry;
  return (
    <tr role="row">
      <th role="rowheader" scope="row" className="name">
        <Link to={`/registry/${name}`}>{name}</Link>
      </th>
      <td role="cell" className="kinds">
        {kinds.join(', ')}
      </td>
      <td role="cell" className="label">
        {label}
      </td>
      <td role="cell" className="class">
        {entry.class}
      </td>
      <td role="cell" className="region">
        {entry.region}
      </td>
      <td role="cell" className="node">
        {!kinds.includes('node') ? (
          <Absent why="not registered as a node" />
        ) : node ? (
          <>
            <Status status={node.status} size={entry.class} />{' '}
            <span className="secondary">
              <RelativeTime at={node.lastSeen} />
            </span>
          </>
        ) : (
          <span className="secondary">never seen</span>
        )}
      </td>
      <td role="cell" className="compute">
        {!kinds.includes('compute') ? (
          <Absent why="not registered as a compute" />
        ) : compute ? (
          <>
            <Status status={compute.status} />{' '}
            <span className="secondary">
              {compute.status === 'available' ? (
                capacity(compute)
              ) : (
                <RelativeTime at={compute.lastSeen} />
              )}
            </span>
          </>
        ) : (
          <span className="secondary">never announced</span>
        )}
      </td>
      <td role="cell" className="since num">
        <RelativeTime at={entry.activatedAt} />
      </td>
    </tr>
  );
});

/** A dash for the eye, the reason for a screen reader. */
function Absent({ why }: { why: string }) {
  return (
    <span className="secondary">
      <span aria-hidden>–</span>
      <span className="visually-hidden">{why}</span>
    </span>
  );
}
