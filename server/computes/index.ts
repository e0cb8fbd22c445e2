import { ComputesQuery } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { ComputeRow } from '#db/schema/index.ts';
import { Recent } from '#server/common/recent.ts';
import { createSignal } from '#server/common/rooms.ts';
import type { Committed } from '#server/live/index.ts';
import type { ServiceContext, WriteOptions } from '#server/context.ts';
import { announce, createAnnounceWriter } from './announce.ts';
import { ComputeDirectory, computesChanges, MANY_OFFERS } from './directory.ts';
import { isListed, type ComputesContext } from './offer.ts';

export { computeStatus, computeStatusUntil, presentCompute } from './offer.ts';

export type { DirectoryList } from './directory.ts';
export type ComputesService = ReturnType<typeof createComputes>;

/** Different pages that are remembered, each with a list of its rows. */
const PAGES_MAX = 16;

/** The compute directory: announcements, the list and its event stream. */
export function createComputes(
  service: ServiceContext,
  sources: Pick<ComputesContext, 'names' | 'identity'>,
) {
  const context = { ...service, ...sources };
  const { clock, log } = context;
  const committed = createSignal<Committed>(log);
  const directory = new ComputeDirectory(context);
  const changes = computesChanges(context, directory);
  const writer = createAnnounceWriter(context, committed);
  const pages = new Recent(PAGES_MAX);

  return {
    /** A group of announcements has been committed, and the read model shows it. */
    committed,
    /** The body of GET /api/registry/computes. */
    answer: (query: ComputesQuery) => directory.answer(query),
    announce: (body: unknown, options?: WriteOptions) => announce(context, writer, body, options),
    changes: (lastEventId: string | undefined, signal: AbortSignal) =>
      changes.follow(lastEventId, signal),
    /** Where `changes` has got to: pass it as `lastEventId` to get everything after an answer made now. */
    cursor: () => changes.cursor(),
    list: () => directory.list(),
    /** Some listed offers, by name or id, and the head of the list they are from; null for one that isn't listed. */
    find: (keys: readonly string[], now = clock()) => ({
      head: directory.head(now),
      offers: directory.find(keys, now),
    }),
    file: directory.file.bind(directory),
    /** When the list was last level with the database, as it says itself. */
    updatedAt: () => directory.head(clock()).updatedAt,
    /**
     * What a page makes of the list, which may be a second old where the directory is large.
     * @param key names what is made
     */
    shown<Made extends object>(key: string, make: () => Made): Made {
      return this.size() < MANY_OFFERS ? make() : (pages.get(key, clock(), make) as Made);
    },
    /** How many offers have ever been announced, listed or not. */
    size: () => service.live.computes.size,
    /** Whether the public directory lists a compute offer now. */
    isListed: (row: ComputeRow) => isListed(context, row),
    /** Totals of the whole directory, as of `now` (ms). */
    stats: (now = clock()) => directory.head(now).stats,
    /** Everything a node has ever announced, listed or not, by name; as of `now` (ms). */
    ofNode: (nodeId: string, now = clock()) => directory.ofNode(nodeId, now),
    /** Makes the whole directory: not at the expense of the first to ask. */
    async load() {
      await directory.answer(ComputesQuery.parse({}));
    },
    /** Resolves once every accepted announcement is committed. */
    stop: () => writer.drain(),
  };
}
