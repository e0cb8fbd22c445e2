import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { useVirtualRows } from '#app/ui/use-virtual-rows.ts';
import { ComputeTable, idOf } from './compute-table.tsx';
import type { DirectoryQuery, NodeOf } from './directory-query.ts';

export interface VirtualComputeTableProps {
  /** All rows of the list. */
  rows: Compute[];
  nodeOf: NodeOf;
  query: DirectoryQuery;
}

/** One list of thousands of rows, of which only those in view are rendered. */
export function VirtualComputeTable({ rows, nodeOf, query }: VirtualComputeTableProps) {
  const virtual = useVirtualRows({ rows, id: idOf, estimateHeight });
  return (
    <ComputeTable
      rows={rows}
      nodeOf={nodeOf}
      first={0}
      total={rows.length}
      query={query}
      virtual={virtual}
    />
  );
}

/** Heights of a usual row (px) with the table's style sheet. */
const estimateHeight = (): number => (window.innerWidth >= 900 ? 45 : 64);
