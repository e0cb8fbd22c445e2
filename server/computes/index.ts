import type { ServiceContext } from '#server/context.ts';
import type { WriteOptions } from '#server/common/write-options.ts';
import type { GroupObserver } from '#server/live/index.ts';
import { announce } from './announce.ts';
import { createAnnounceWriter } from './announce-writer.ts';
import { computesChanges } from './changes.ts';
import type { ComputesQuery } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { ComputeRow } from '#db/schema/index.ts';
import type { NameIndex } from '#server/names/index.ts';
import { ComputeDirectory } from './directory.ts';
import { isListed } from './listing.ts';

export { computeStatus, computeStatusUntil, presentCompute } from './compute.ts';

export type ComputesService = ReturnType<typeof createComputes>;

/** The compute directory: announcements, the list and its event stream. */
export function createComputes(
  service: ServiceContext,
  { names }: { names: NameIndex },
  observer: GroupObserver,
) {
  const context = { ...service, names };
  const { clock } = context;
  const directory = new ComputeDirectory(context);
  const changes = computesChanges(context, directory);
  const writer = createAnnounceWriter(context, observer);

  return {
    /** The body of GET /api/registry/computes. */
    answer: (query: ComputesQuery) => directory.answer(query),
    announce: (body: unknown, options?: WriteOptions) => announce(context, writer, body, options),
    changes: (lastEventId: string | undefined, signal: AbortSignal) =>
      changes.follow(lastEventId, signal),
    /** Where `changes` has got to: pass it as `lastEventId` to get everything after an answer made now. */
    cursor: () => changes.cursor(),
    list: () => directory.list(),
    /** Whether the public directory lists a compute offer now. */
    isListed: (row: ComputeRow) => isListed(context, row),
    /** The ids of everything that a node has announced. */
    offersOf: (nodeId: string) => directory.offersOf(nodeId),
    /** Totals of the whole directory, as of `now` (ms). */
    stats: (now = clock()) => directory.head(now).stats,
    /** Everything a node has ever announced, listed or not, by name; as of `now` (ms). */
    ofNode: (nodeId: string, now = clock()) => directory.ofNode(nodeId, now),
    /** Resolves once every accepted announcement is committed. */
    drain: () => writer.drain(),
  };
}
