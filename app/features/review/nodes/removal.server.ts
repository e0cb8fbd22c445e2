import type { Api } from '#server/entry/trpc/caller.ts';
import { readDay } from '#server/audit/history.schema.ts';
import { MATCH_MAX } from '#server/nodes/removal.schema.ts';
import { searchText } from '#server/common/search-text.schema.ts';
import type { Removal } from './removal-card.tsx';

/** What the URL of the page says about nodes to remove. Unknown values count as absent, because people edit URLs. */
export async function loadRemoval(
  nodes: Api['review']['nodes'],
  query: URLSearchParams,
): Promise<Removal> {
  const filter = {
    match: searchText(query.get('match'), MATCH_MAX),
    silentSince: readDay(searchText(query.get('silent'), MATCH_MAX)),
  };
  const removed = query.get('removed') ?? '';
  return {
    filter,
    found: filter.match || filter.silentSince ? await nodes.removable(filter) : null,
    removed: /^\d{1,9}$/.test(removed) ? Number(removed) : null,
  };
}
