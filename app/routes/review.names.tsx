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
import { REASON_MAX } from '#server/review/reasons.schema.ts';
import type { ReservedName } from '#server/registry/reserved-names.ts';
import { Pager } from '#app/ui/pagination.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { ActionForm, Field, Problem, problemOf } from '#app/ui/form.tsx';
import { Since } from '#app/features/review/moments.tsx';
import { Records } from '#app/features/review/records.tsx';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { useAnswer } from '#app/lib/use-form-result.ts';
import { WhyForm } from '#app/features/review/reason-form.tsx';
import { textOf, type FormError } from '#app/lib/form-action.server.ts';
import { count } from '#app/lib/formatters.ts';
import { requireReviewer, submitReview } from '#app/features/review/review.server.ts';

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
  return submitReview(args, async (form, { email }) => {
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
  keptAction as clientAction,
  keptLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';

export const meta: MetaFunction = () => [{ title: 'Reserved names · Mesh Registry' }];

export default function Names() {
  const { names, page, query, updatedAt } = useLoaderData<typeof loader>();
  const answer = useAnswer<typeof action>('');
  const problem = problemOf(answer);
  const reserving = problemOf(answer, { intent: 'reserve' });
  const releasing = ({ name }: ReservedName) => problemOf(answer, { intent: 'release', name });
  return (
    <ReviewPage
      updatedAt={updatedAt}
      title="Reserved names"
      intro="Nobody can register these. A name that somebody holds already stays with them, and is reserved once it is free."
    >
      {!reserving && !names.some(releasing) && <Problem problem={problem} />}
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
              <Records
                caption="Reserved names"
                rows={names}
                id={({ name }) => name}
                columns={[
                  { head: 'Name', is: 'name', cell: (row) => <Name row={row} /> },
                  { head: 'Why', className: 'text', cell: ({ reason }) => reason },
                  {
                    head: 'Since',
                    className: 'text',
                    cell: ({ addedAt, addedBy }) => (
                      <Since at={addedAt.toISOString()} by={addedBy} />
                    ),
                  },
                  { head: 'Until', cell: (row) => <Until row={row} /> },
                  {
                    head: 'Release',
                    is: 'act',
                    cell: (row) => (
                      <WhyForm
                        does="Release"
                        to={row.name}
                        intent="release"
                        name="name"
                        problem={releasing(row)}
                      />
                    ),
                  },
                ]}
              />
              <Pager page={page} href={(number) => reservedNamesHref({ ...query, page: number })} />
            </>
          )}
        </section>
      </div>
    </ReviewPage>
  );
}

function Reserve({ problem }: { problem: FormError | undefined }) {
  return (
    <ActionForm intent="reserve" problem={problem} does="Reserve" look="primary">
      <Field
        label="Name"
        name="name"
        problem={problem}
        maxLength={32}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <Field
        label="Why"
        name="reason"
        hint="Reviewers see it."
        problem={problem}
        maxLength={REASON_MAX}
        required
      />
      <Field
        label="Last day"
        name="until"
        hint="In UTC. Empty: for good."
        problem={problem}
        type="date"
      />
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
function Until({ row: { expiresAt, over } }: { row: ReservedName }) {
  if (!expiresAt) return <>for good</>;
  const last = new Date(expiresAt.getTime() - 1).toISOString().slice(0, 10);
  return (
    <>
      <time dateTime={last}>{last}</time>
      {over && <span className="secondary"> over</span>}
    </>
  );
}
