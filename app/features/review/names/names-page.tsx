import type { ReservedName } from '#server/names/index.ts';
import {
  NAMES_QUERY_MAX,
  reservedNamesHref,
  type ReservedNamesQuery,
} from '#server/names/reserved-names.schema.ts';
import { formErrorOf, type FormError } from '#app/lib/form-error.ts';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { count } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { ActionForm, FormAlert, TextField } from '#app/ui/form.tsx';
import { Pagination, type Page } from '#app/ui/pagination.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { SearchForm } from '#app/ui/search-field.tsx';
import { ListCard, ListWithForm } from '../list-card.tsx';
import { ReasonField } from '../reason-form.tsx';
import { ReviewPage } from '../review-page.tsx';
import styles from './names-page.module.css';
import { NamesTable } from './names-table.tsx';

export interface LoadedNames {
  updatedAt: string;
  query: ReservedNamesQuery;
  names: ReservedName[];
  page: Page;
}

/** Reserved names: who reserved which and why, and the forms that reserve and release one. */
export function NamesPage({ list: { names, page, query, updatedAt } }: { list: LoadedNames }) {
  const result = useFormResult('');
  const reserving = formErrorOf(result, { intent: 'reserve' });
  const releasing = ({ name }: ReservedName) => formErrorOf(result, { intent: 'release', name });
  const ofAForm = reserving !== undefined || names.some(releasing);
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
            <ReserveForm problem={reserving} />
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
              <NamesTable names={names} problemOf={releasing} />
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

function heading(total: number, q: string): string {
  const names = total === 0 ? 'No names' : total === 1 ? '1 name' : `${count(total)} names`;
  return q === '' ? names : `${names} matching “${q}”`;
}

/** Reserves a name, indefinitely or until a day. */
function ReserveForm({ problem }: { problem: FormError | undefined }) {
  return (
    <ActionForm intent="reserve" problem={problem} submitLabel="Reserve" look="primary">
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
  );
}
