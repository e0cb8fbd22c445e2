import { Form } from '@remix-run/react';
import {
  HISTORY_EVENTS,
  HISTORY_QUERY_MAX,
  type HistoryFilter,
} from '#server/audit/history.schema.ts';
import { hrefs } from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import { LabelledControl } from '#app/ui/form.tsx';
import styles from './history-filter-form.module.css';
import { EVENT_LABEL } from './labels.ts';

interface HistoryFilterFormProps {
  filter: HistoryFilter;
  actors: string[];
}

export function HistoryFilterForm({ filter, actors }: HistoryFilterFormProps) {
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
                {EVENT_LABEL[event]}
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
