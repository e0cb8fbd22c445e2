import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useLoaderData } from '@remix-run/react';
import {
  HISTORY_EVENTS,
  HISTORY_QUERY_MAX,
  historyHref,
  historyParams,
  readHistoryQuery,
  type HistoryFilter,
} from '#server/review/history.schema.ts';
import type { HistoryEntry } from '#server/review/index.ts';
import { LabelledControl } from '#app/ui/form.tsx';
import { DataTable } from '#app/ui/data-table.tsx';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import { count } from '#app/lib/formatters.ts';
import { eventWords, subjectHref } from '#app/features/review/history/labels.ts';
import { requireReviewer } from '#app/features/review/review.server.ts';

/** The history: every change of a registration's state, and everything that reviewers did. */
export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const { history } = args.context.services;
  const query = readHistoryQuery(new URL(args.request.url).searchParams);
  const { before: _, after: __, ...filter } = query;
  const [page, actors] = await Promise.all([history.page(query), history.actors()]);
  return { ...page, actors, filter, updatedAt: new Date().toISOString() };
}

export { offlineLoader as clientLoader } from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'History · Mesh Registry' }];

export default function History() {
  const { entries, total, newer, older, actors, filter, updatedAt } =
    useLoaderData<typeof loader>();
  const filtered = historyParams(filter).size > 0;
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title="History"
      intro="Every change of state and everything reviewers did. Nothing of it is ever changed or deleted."
      actions={
        <a className="button" href={historyHref(filter, {}, '/review/history.csv')} download>
          Download CSV
        </a>
      }
    >
      <section className="card" aria-labelledby="entries">
        <FilterForm filter={filter} actors={actors} key={historyParams(filter).toString()} />
        <div className="records-count">
          <h2 id="entries">
            <span role="status">
              {count(total)} {total === 1 ? 'entry' : 'entries'}
            </span>
          </h2>
          {filtered && <Link to="/review/history">Show all</Link>}
        </div>
        {entries.length === 0 ? (
          <p>{total === 0 ? 'No entry fits.' : 'There is none beyond this place.'}</p>
        ) : (
          <Entries entries={entries} />
        )}
        {(newer || older) && (
          <nav className="pager" aria-label="Pages of the history">
            <ul>
              <li>{newer ? <Link to={historyHref(filter)}>Newest</Link> : <span>Newest</span>}</li>
              <li>
                {newer ? (
                  <Link to={historyHref(filter, { after: newer })}>Newer</Link>
                ) : (
                  <span>Newer</span>
                )}
              </li>
              <li>
                {older ? (
                  <Link to={historyHref(filter, { before: older })}>Older</Link>
                ) : (
                  <span>Older</span>
                )}
              </li>
            </ul>
          </nav>
        )}
      </section>
    </ReviewPage>
  );
}

function FilterForm({ filter, actors }: { filter: HistoryFilter; actors: string[] }) {
  return (
    <Form action="/review/history" role="search" className="records-filter">
      <LabelledControl label="Name, note, node id, who or why" name="q">
        {(control) => (
          <input
            {...control}
            type="search"
            defaultValue={filter.q}
            maxLength={HISTORY_QUERY_MAX}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </LabelledControl>
      <LabelledControl label="Who" name="actor">
        {(control) => (
          <select {...control} defaultValue={filter.actor}>
            <option value="">anybody</option>
            {[...new Set([...actors, filter.actor])].filter(Boolean).map((actor) => (
              <option key={actor}>{actor}</option>
            ))}
          </select>
        )}
      </LabelledControl>
      <LabelledControl label="What" name="event">
        {(control) => (
          <select {...control} defaultValue={filter.event ?? ''}>
            <option value="">anything</option>
            {HISTORY_EVENTS.map((event) => (
              <option key={event} value={event}>
                {eventWords(event)}
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
      <button className="button">Show</button>
    </Form>
  );
}

function Entries({ entries }: { entries: HistoryEntry[] }) {
  return (
    <DataTable
      inCard
      caption="Entries, newest first"
      rows={entries}
      id={({ id }) => id}
      columns={[
        { head: 'When', cell: ({ at }) => <RelativeTime at={at.toISOString()} /> },
        { head: 'What', kind: 'word', cell: ({ event }) => eventWords(event) },
        {
          head: 'Of',
          kind: 'text',
          cell: (entry) => (
            <>
              <Link to={subjectHref(entry)}>{entry.subject}</Link>
              {entry.note && <code className="remark">{entry.note}</code>}
            </>
          ),
        },
        { head: 'Who', kind: 'text', cell: ({ actor }) => actor },
        { head: 'Why', kind: 'text', cell: ({ reason }) => reason },
      ]}
    />
  );
}
