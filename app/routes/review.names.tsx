import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { Form, Link, useLoaderData } from '@remix-run/react';
import { AppError } from '#server/common/errors.schema.ts';
import {
  NAMES_QUERY_MAX,
  readReservedNamesQuery,
  reservedNamesHref,
} from '#server/registry/reserved-names.schema.ts';
import { REASON_MAX } from '#server/common/values.schema.ts';
import type { ReservedName } from '#server/registry/index.ts';
import { Pagination } from '#app/ui/pagination.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { ActionForm, TextField, FormAlert } from '#app/ui/form.tsx';
import { formErrorOf } from '#app/lib/form-error.ts';
import { Since } from '#app/features/review/moments.tsx';
import { DataTable } from '#app/ui/data-table.tsx';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { useFormResult } from '#app/lib/use-form-result.ts';
import { ReasonForm } from '#app/features/review/reason-form.tsx';
import { textOf } from '#app/lib/form-action.server.ts';
import type { FormError } from '#app/lib/form-error.ts';
import { count } from '#app/lib/formatters.ts';
import { requireReviewer, handleReviewForm } from '#app/features/review/review.server.ts';

/** Reserved names: who reserved which and why, reserve one, release one. */
export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const query = queryOf(args);
  const list = await args.context.services.reservedNames.list(query);
  return { ...list, query, updatedAt: new Date().toISOString() };
}

/** Also of a form: it is sent to the address of its page. */
const queryOf = ({ request }: { request: Request }) =>
  readReservedNamesQuery(new URL(request.url).searchParams);

export function action(args: ActionFunctionArgs) {
  const { reservedNames } = args.context.services;
  return handleReviewForm(args, async (form, { email }) => {
    const text = (name: string) => textOf(form, name);
    switch (form.get('intent')) {
      case 'reserve': {
        const input = { name: text('name'), reason: text('reason'), until: text('until') };
        const name = await reservedNames.reserve(input, email);
        return redirect(reservedNamesHref({ q: name, page: 1 }), 303);
      }
      case 'release':
        await reservedNames.release({ name: text('name'), reason: text('reason') }, email);
        return redirect(reservedNamesHref(queryOf(args)), 303);
      default:
        throw new AppError('invalid_body', 'Reserve a name, or release one.');
    }
  });
}

export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'Reserved names · Mesh Registry' }];

export default function Names() {
  const { names, page, query, updatedAt } = useLoaderData<typeof loader>();
  const answer = useFormResult<typeof action>('');
  const problem = formErrorOf(answer);
  const reserving = formErrorOf(answer, { intent: 'reserve' });
  const releasing = ({ name }: ReservedName) => formErrorOf(answer, { intent: 'release', name });
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title="Reserved names"
      intro="Nobody can register these. A name that somebody holds already stays with them, and is reserved once it is free."
    >
      {!reserving && !names.some(releasing) && <FormAlert problem={problem} />}
      <div className="review-columns">
        <Panel title="Reserve a name">
          <Reserve problem={reserving} />
        </Panel>
        <section className="card" aria-labelledby="reserved">
          <div className="records-count">
            <h2 id="reserved">
              <span role="status">
                {count(page.total)} {page.total === 1 ? 'name' : 'names'}
                {query.q !== '' && ` with “${query.q}”`}
              </span>
            </h2>
            {query.q !== '' && <Link to="/review/names">Show all</Link>}
          </div>
          <Form action="/review/names" role="search" className="records-search">
            <input
              className="field"
              type="search"
              name="q"
              aria-label="Search names and reasons"
              placeholder="Search names and reasons"
              defaultValue={query.q}
              key={query.q}
              maxLength={NAMES_QUERY_MAX}
              autoComplete="off"
              spellCheck={false}
            />
            <button className="button">Search</button>
          </Form>
          {names.length === 0 ? (
            <p>No reserved name fits.</p>
          ) : (
            <>
              <DataTable
                inCard
                caption="Reserved names"
                rows={names}
                id={({ name }) => name}
                columns={[
                  { head: 'Name', kind: 'name', cell: (row) => <Name row={row} /> },
                  { head: 'Why', kind: 'text', cell: ({ reason }) => reason },
                  {
                    head: 'Since',
                    kind: 'text',
                    cell: ({ addedAt, addedBy }) => (
                      <Since at={addedAt.toISOString()} by={addedBy} />
                    ),
                  },
                  { head: 'Until', cell: (row) => <Until row={row} /> },
                  {
                    head: 'Release',
                    kind: 'actions',
                    cell: (row) => (
                      <ReasonForm
                        label="Release"
                        subject={row.name}
                        intent="release"
                        subjectField="name"
                        problem={releasing(row)}
                      />
                    ),
                  },
                ]}
              />
              <Pagination
                inCard
                page={page}
                href={(number) => reservedNamesHref({ ...query, page: number })}
              />
            </>
          )}
        </section>
      </div>
    </ReviewPage>
  );
}

function Reserve({ problem }: { problem: FormError | undefined }) {
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
      <TextField
        label="Why"
        name="reason"
        hint="Reviewers see it."
        maxLength={REASON_MAX}
        required
      />
      <TextField label="Last day" name="until" hint="In UTC. Empty: for good." type="date" />
    </ActionForm>
  );
}

function Name({ row: { name, holder } }: { row: ReservedName }) {
  return (
    <>
      {name}
      {holder && (
        <span className="secondary remark">
          stays with{' '}
          <Link to={`/review/registrations/${encodeURIComponent(holder.note)}`}>its holder</Link>
        </span>
      )}
    </>
  );
}

/** The last day on which it is reserved. */
function Until({ row: { expiresAt, expired } }: { row: ReservedName }) {
  if (!expiresAt) return <>for good</>;
  const last = new Date(expiresAt.getTime() - 1).toISOString().slice(0, 10);
  return (
    <>
      <time dateTime={last}>{last}</time>
      {expired && <span className="secondary"> expired</span>}
    </>
  );
}
