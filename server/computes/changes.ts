import type { ComputeRow } from '#db/schema/index.ts';
import { ChangeStream } from '#server/live/index.ts';
import { computeStatus, presentCompute } from './compute.ts';
import type { Compute, ComputesHead } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { ComputeDirectory } from './directory.ts';
import { isListed, type ComputesContext } from './listing.ts';

/** The event stream of the directory. */
export function computesChanges(context: ComputesContext, directory: ComputeDirectory) {
  const { config, live } = context;
  const freshMs = config.computeFreshMs;
  return new ChangeStream<ComputeRow, ComputesHead, Compute>(context, {
    table: live.computes,
    list: directory,
    headVersion: () => directory.headVersion(),
    head: (now) => directory.head(now),
    aged: (row, then, now) =>
      computeStatus(row, then, freshMs) !== computeStatus(row, now, freshMs),
    present: (row, now) => (isListed(context, row) ? presentCompute(row, now, freshMs) : null),
    wasShown: (row) => directory.wasListed(row),
  });
}
