import type { ServiceContext } from '#server/context.ts';
import { exportHistory, historyActors, historyPage } from './history.ts';
import type { HistoryFilter, HistoryQuery } from './history.schema.ts';

export type { HistoryEntry } from './history.ts';
export {
  recordAction,
  recordActions,
  requireReason,
  writeRecorded,
  type ReviewAction,
} from './record.ts';

/** What reviewers did. */
export function createAudit(context: ServiceContext) {
  return {
    page: (query: HistoryQuery) => historyPage(context, query),
    /** Every entry that the filter matches, in batches. */
    export: (filter: HistoryFilter) => exportHistory(context, filter),
    actors: () => historyActors(context),
  };
}
