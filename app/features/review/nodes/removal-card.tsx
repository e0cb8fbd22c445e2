import { Form, Link, type useLoaderData } from '@remix-run/react';
import { MATCH_MAX, REMOVED_AT_ONCE } from '#server/nodes/removal.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { count, nodes as nodesInWords } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { ActionForm, LabelledControl } from '#app/ui/form.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import text from '#app/ui/text.module.css';
import parts from '../parts.module.css';
import { ReasonField } from '../row-action.tsx';
import type { loadNodes } from './nodes-page.server.ts';
import styles from './removal-card.module.css';

type Removal = ReturnType<typeof useLoaderData<typeof loadNodes>>['removal'];

interface RemovalCardProps {
  removal: Removal;
  /** Of the form that removes them. */
  problem: FormError | undefined;
}

/** Finds nodes by pattern and silence, shows them, and removes them once their number is confirmed. */
export function RemovalCard({ removal: { filter, found, removed }, problem }: RemovalCardProps) {
  return (
    <Panel title="Remove nodes">
      <p>
        Removes nodes from the map and the database, with their compute offers and history, for
        good. A node that still sends heartbeats comes back as a new one; block it to keep it away.
      </p>
      <Form
        action={hrefs.review.nodes()}
        role="search"
        aria-label="Nodes to remove"
        className={styles.filter}
      >
        <LabelledControl
          label="Node ID or label"
          name="match"
          hint="* stands for any text: test-*"
          defaultValue={filter.match}
        >
          {(control) => (
            <input {...control} maxLength={MATCH_MAX} autoComplete="off" autoCapitalize="none" />
          )}
        </LabelledControl>
        <LabelledControl
          label="Silent since (UTC)"
          name="silent"
          hint="Nothing heard on or after this day"
          defaultValue={filter.silentSince}
        >
          {(control) => <input {...control} type="date" />}
        </LabelledControl>
        <button className={button.button}>Find nodes</button>
      </Form>
      {removed !== null && (
        <p role="status" className={text.notice}>
          {removed === 1 ? '1 node was removed.' : `${count(removed)} nodes were removed.`}
        </p>
      )}
      {found && <Found filter={filter} found={found} problem={problem} />}
    </Panel>
  );
}

interface FoundProps {
  filter: Removal['filter'];
  found: NonNullable<Removal['found']>;
  problem: FormError | undefined;
}

function Found({ filter, found: { total, named, nodes }, problem }: FoundProps) {
  const atOnce = Math.min(total, REMOVED_AT_ONCE);
  const more = total - nodes.length;
  return (
    <>
      {/* Around the heading, which would have no name with a status inside. */}
      <div role="status">
        <h3 className={styles.heading}>
          {total === 0
            ? 'No matching nodes'
            : `${nodesInWords(total)} ${total === 1 ? 'matches' : 'match'}`}
        </h3>
      </div>
      {named > 0 && <p className={text.secondary}>{namedInWords(named)}</p>}
      {total > 0 && (
        <>
          <DataTable
            caption="Nodes that will be removed"
            rows={nodes}
            id={({ id }) => id}
            columns={COLUMNS}
          />
          {more > 0 && <p className={text.secondary}>and {count(more)} more</p>}
          <div className={styles.confirm}>
            <ActionForm
              intent="remove"
              look="danger"
              problem={problem}
              submitLabel={`Remove ${nodesInWords(atOnce)}`}
            >
              <input type="hidden" name="match" value={filter.match} />
              <input type="hidden" name="silentSince" value={filter.silentSince} />
              <input type="hidden" name="expected" value={total} />
              {total > atOnce && (
                <p>
                  At most {count(REMOVED_AT_ONCE)} nodes are removed at once. Repeat it for the
                  others.
                </p>
              )}
              <ReasonField />
            </ActionForm>
          </div>
        </>
      )}
    </>
  );
}

const COLUMNS: Column<FoundProps['found']['nodes'][number]>[] = [
  {
    head: 'Node',
    kind: 'name',
    className: parts.roomy,
    cell: ({ id }) => (
      <Link to={hrefs.node(id)}>
        <code>{id}</code>
      </Link>
    ),
  },
  { head: 'Label', kind: 'text', cell: ({ label }) => label },
  {
    head: 'Last heard',
    kind: 'word',
    cell: ({ lastHeard }) => <RelativeTime at={lastHeard} />,
  },
];

const namedInWords = (named: number) =>
  `${
    named === 1
      ? '1 more matches but has an active name, and stays.'
      : `${count(named)} more match but have active names, and stay.`
  } To remove such a node, enter its whole ID.`;
