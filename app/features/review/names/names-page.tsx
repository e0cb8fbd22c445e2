import { Link, useLoaderData } from '@remix-run/react';
import { useMemo } from 'react';
import type { ReservedName } from '#server/names/index.ts';
import { NAMES_QUERY_MAX, reservedNamesHref } from '#server/names/reserved-names.schema.ts';
import { formErrorOf } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { counted } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { DataTable, type Column } from '#app/ui/data-table.tsx';
import { ActionForm, FormAlert, TextField } from '#app/ui/form.tsx';
import { Pagination } from '#app/ui/pagination.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { SearchForm } from '#app/ui/search-field.tsx';
import text from '#app/ui/text.module.css';
import { ListCard, ListWithForm } from '../list-card.tsx';
import parts from '../parts.module.css';
import { ReasonField, ReasonForm } from '../row-action.tsx';
import { Since } from '../row-parts.tsx';
import { ReviewPage } from '../review-page.tsx';
import styles from './names-page.module.css';
import type { loadReservedNames } from './names-page.server.ts';

/** Reserved names: who reserved which and why, and the forms that reserve and release one. */
export function NamesPage() {
  const { names, page, query, updatedAt } = useLoaderData<typeof loadReservedNames>();
  const result = useFormResult('');
  const reserving = formErrorOf(result, { intent: 'reserve' });
  const columns = useMemo(() => columnsFor(result), [result]);
  const ofAForm =
    reserving !== undefined || names.some((row) => releasing(result, row) !== undefined);
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title="Reserved names"
      intro="Nobody can register a reserved name. If it is already registered, its operator keeps it until the registration ends."
    >
      {!ofAForm && <FormAlert problem={formErrorOf(result)} />}
      <ListWithForm
        form={
          <Panel title="Reserve a name">
            <ActionForm intent="reserve" problem={reserving} submitLabel="Reserve" look="primary">
              <TextField
                label="Name"
                name="name"
                maxLength={32}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                required
              />
              <ReasonField />
              <TextField
                label="Last day (UTC)"
                name="until"
                hint="Leave empty for no end date."
                type="date"
              />
            </ActionForm>
          </Panel>
        }
      >
        <ListCard
          heading={heading(page.total, query.q)}
          unfilteredHref={query.q === '' ? null : hrefs.review.names()}
          filter={
            <div className={styles.search}>
              <SearchForm
                action={hrefs.review.names()}
                label="Search names and reasons"
                value={query.q}
                maxLength={NAMES_QUERY_MAX}
                keep={{}}
                href={(q) => reservedNamesHref({ q, page: 1 })}
              />
            </div>
          }
        >
          {names.length > 0 && (
            <>
              <DataTable
                inCard
                caption="Reserved names"
                rows={names}
                id={({ name }) => name}
                columns={columns}
              />
              <Pagination
                inCard
                page={page}
                href={(number) => reservedNamesHref({ ...query, page: number })}
              />
            </>
          )}
        </ListCard>
      </ListWithForm>
    </ReviewPage>
  );
}

type Result = Parameters<typeof formErrorOf>[0];

/** What is wrong with the form that releases the name. */
const releasing = (result: Result, { name }: ReservedName) =>
  formErrorOf(result, { intent: 'release', name });

const columnsFor = (result: Result): Column<ReservedName>[] => [
  {
    head: 'Name',
    kind: 'name',
    className: parts.roomy,
    cell: (row) => <Name row={row} />,
  },
  { head: 'Reason', kind: 'text', cell: ({ reason }) => reason },
  {
    head: 'Reserved',
    kind: 'text',
    className: parts.roomy,
    cell: ({ addedAt, addedBy }) => <Since at={addedAt.toISOString()} by={addedBy} />,
  },
  { head: 'Last day', cell: (row) => <LastDay row={row} /> },
  {
    head: 'Release',
    kind: 'actions',
    cell: (row) => (
      <ReasonForm
        label="Release"
        subject={row.name}
        intent="release"
        subjectField="name"
        problem={releasing(result, row)}
      />
    ),
  },
];

function heading(total: number, q: string): string {
  const names = total === 0 ? 'No names' : counted(total, 'name');
  return q === '' ? names : `${names} matching “${q}”`;
}

function Name({ row: { name, holder } }: { row: ReservedName }) {
  return (
    <>
      {name}
      {holder && (
        <span className={text.remark}>
          still registered,{' '}
          <Link to={hrefs.review.registration(holder.note)}>view registration</Link>
        </span>
      )}
    </>
  );
}

/** The last day on which the name is reserved, in UTC. */
function LastDay({ row: { expiresAt, expired } }: { row: ReservedName }) {
  if (!expiresAt) return <span className={text.secondary}>no end date</span>;
  const day = new Date(expiresAt.getTime() - 1).toISOString().slice(0, 10);
  return (
    <>
      <time dateTime={day}>{day}</time>
      {expired && <span className={text.secondary}> expired</span>}
    </>
  );
}
