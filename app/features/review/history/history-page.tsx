import { Form, Link, useLoaderData } from '@remix-run/react';
import {
  HISTORY_EVENTS,
  HISTORY_QUERY_MAX,
  historyHref,
  type HistoryFilter,
} from '#server/audit/history.schema.ts';
import type { HistoryEntry } from '#server/audit/index.ts';
import { counted } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { LabelledControl } from '#app/ui/form.tsx';
import { PageLinks } from '#app/ui/pagination.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import parts from '../parts.module.css';
import { ListCard } from '../list-card.tsx';
import { ReviewPage } from '../review-page.tsx';
import styles from './history-page.module.css';
import type { loadHistory } from './history.server.ts';
import { eventLabel, subjectHref } from '../labels.ts';

/** Every status change of a registration, and everything reviewers did. */
export function HistoryPage() {
  const { entries, total, newer, older, actors, filter, updatedAt } =
    useLoaderData<typeof loadHistory>();
  const here = historyHref(filter);
  const filtered = here !== hrefs.review.history();
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
        filter={<HistoryFilterForm filter={filter} actors={actors} key={here} />}
      >
        {entries.length > 0 ? (
          <DataTable
            inCard
            caption="Entries, newest first"
            rows={entries}
            id={({ id }) => id}
            columns={COLUMNS}
          />
        ) : (
          total > 0 && <p>No entries on this page.</p>
        )}
        {(newer !== null || older !== null) && (
          <PageLinks
            inCard={entries.length > 0}
            links={[
              { label: 'Newest', to: newer && here },
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
  return counted(total, 'entry', 'entries');
}

/** @param props.actors everybody who can be an entry's actor */
function HistoryFilterForm({ filter, actors }: { filter: HistoryFilter; actors: string[] }) {
  // A link may name an actor that this server doesn't know.
  const options = new Set([...actors, filter.actor].filter(Boolean));
  return (
    <Form action={hrefs.review.history()} role="search" className={styles.form}>
      <div className={styles.search}>
        <LabelledControl label="Search" name="q" defaultValue={filter.q}>
          {(control) => (
            <input
              {...control}
              type="search"
              placeholder="Name, note, node, reviewer or reason"
              maxLength={HISTORY_QUERY_MAX}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </LabelledControl>
      </div>
      <LabelledControl label="Actor" name="actor" defaultValue={filter.actor}>
        {(control) => (
          <select {...control}>
            <option value="">anyone</option>
            {[...options].map((actor) => (
              <option key={actor}>{actor}</option>
            ))}
          </select>
        )}
      </LabelledControl>
      <LabelledControl label="Event" name="event" defaultValue={filter.event ?? ''}>
        {(control) => (
          <select {...control}>
            <option value="">any event</option>
            {HISTORY_EVENTS.map((event) => (
              <option key={event} value={event}>
                {eventLabel(event)}
              </option>
            ))}
          </select>
        )}
      </LabelledControl>
      <LabelledControl label="From (UTC)" name="from" defaultValue={filter.from}>
        {(control) => <input {...control} type="date" />}
      </LabelledControl>
      <LabelledControl label="Until (UTC)" name="until" defaultValue={filter.until}>
        {(control) => <input {...control} type="date" />}
      </LabelledControl>
      <button className={button.button}>Filter</button>
    </Form>
  );
}

const COLUMNS: Column<HistoryEntry>[] = [
  { head: 'Time', phone: 'aside', cell: ({ at }) => <RelativeTime at={at.toISOString()} /> },
  { head: 'Event', kind: 'word', phone: 'title', cell: ({ event }) => eventLabel(event) },
  {
    head: 'Subject',
    kind: 'text',
    className: parts.roomy,
    cell: (entry) => (
      <>
        <Link to={subjectHref(entry)}>{entry.subject}</Link>
        {entry.note !== null && <code className={text.remark}>{entry.note}</code>}
      </>
    ),
  },
  { head: 'Actor', kind: 'text', className: parts.roomy, cell: ({ actor }) => actor },
  { head: 'Reason', kind: 'text', className: parts.wordy, cell: ({ reason }) => reason },
];
