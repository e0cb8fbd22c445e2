import { historyHref, historyParams, type HistoryFilter } from '#server/audit/history.schema.ts';
import type { HistoryPage as Loaded } from '#server/audit/index.ts';
import { hrefs } from '#app/lib/hrefs.ts';
import { count } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import { PageLinks } from '#app/ui/pagination.tsx';
import { ListCard } from '../list-card.tsx';
import { ReviewPage } from '../review-page.tsx';
import { HistoryFilterForm } from './history-filter-form.tsx';
import { HistoryTable } from './history-table.tsx';

export interface LoadedHistory extends Loaded {
  updatedAt: string;
  filter: HistoryFilter;
  /** Everybody who can be an entry's actor. */
  actors: string[];
}

/** Every status change of a registration, and everything reviewers did. */
export function HistoryPage({ history }: { history: LoadedHistory }) {
  const { entries, total, newer, older, actors, filter, updatedAt } = history;
  const filterParams = historyParams(filter);
  const filtered = filterParams.size > 0;
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title="History"
      intro="Every status change and everything reviewers did. Entries are never changed or deleted."
      actions={
        <a
          className={button.button}
          href={historyHref(filter, {}, hrefs.review.historyCsv())}
          download
        >
          Download CSV
        </a>
      }
    >
      <ListCard
        heading={heading(total, filtered)}
        unfilteredHref={filtered ? hrefs.review.history() : null}
        filter={<HistoryFilterForm filter={filter} actors={actors} key={filterParams.toString()} />}
      >
        {entries.length > 0 ? (
          <HistoryTable entries={entries} />
        ) : (
          total > 0 && <p>No entries on this page.</p>
        )}
        {(newer !== null || older !== null) && (
          <PageLinks
            inCard={entries.length > 0}
            links={[
              { label: 'Newest', to: newer && historyHref(filter) },
              { label: 'Newer', to: newer && historyHref(filter, { after: newer }) },
              { label: 'Older', to: older && historyHref(filter, { before: older }) },
            ]}
          />
        )}
      </ListCard>
    </ReviewPage>
  );
}

function heading(total: number, filtered: boolean): string {
  if (total === 0) return filtered ? 'No matching entries' : 'No entries';
  return total === 1 ? '1 entry' : `${count(total)} entries`;
}
