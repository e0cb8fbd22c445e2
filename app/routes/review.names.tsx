import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { Form, Link, useActionData, useLoaderData, useNavigation } from '@remix-run/react';
import { AppError } from '../../server/schemas/errors.ts';
import {
  NAMES_QUERY_MAX,
  readReservedNamesQuery,
  reservedNamesHref,
} from '../../server/schemas/reserved-names.ts';
import type { ReservedName } from '../../server/services/reserved-names.ts';
import { PageMoment } from '../clock.ts';
import { Pager } from '../components/pager.tsx';
import { FormField } from '../components/review/form-field.tsx';
import { ReviewPage } from '../components/review/review-page.tsx';
import { When } from '../components/when.tsx';
import { submit, textOf, type FormError } from '../form.server.ts';
import { count } from '../format.ts';
import { requireReviewer } from '../review.server.ts';

/** Reserved names: who reserved which and why, reserve one, release one. */
export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const query = readReservedNamesQuery(new URL(args.request.url).searchParams);
  const list = await args.context.services.reservedNames.list(query);
  return { ...list, query, updatedAt: new Date().toISOString() };
}

export async function action(args: ActionFunctionArgs) {
  const { email } = await requireReviewer(args);
  const { reservedNames } = args.context.services;
  return submit(args, async (form) => {
    const text = (name: string) => textOf(form, name);
    switch (form.get('intent')) {
      case 'reserve': {
        const input = { name: text('name'), reason: text('reason'), until: text('until') };
        const name = await reservedNames.reserve(input, email);
        return redirect(reservedNamesHref({ q: name, page: 1 }), 303);
      }
      case 'release':
        await reservedNames.release({ name: text('name'), reason: text('reason') }, email);
        return redirect('/review/names', 303);
      default:
        throw new AppError('invalid_body', 'Reserve a name, or release one.');
    }
  });
}

export const meta: MetaFunction = () => [{ title: 'Reserved names · Mesh Registry' }];

export default function Names() {
  const { names, page, query, updatedAt } = useLoaderData<typeof loader>();
  const failed = useActionData<typeof action>() as FormError | undefined;
  const intent = failed?.values['intent'];
  return (
    <PageMoment.Provider value={Date.parse(updatedAt)}>
      <ReviewPage
        title="Reserved names"
        intro="Nobody can register these. A name that somebody holds already stays with them, and is reserved once it is free."
        className="review-records"
      >
        <div className="review-columns">
          <Reserve failed={intent === 'release' ? undefined : failed} />
          <section className="card records-card" aria-labelledby="reserved">
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
            {intent === 'release' && !names.some(({ name }) => name === failed?.values['name']) && (
              <p role="alert" className="form-error">
                {failed?.error}
              </p>
            )}
            {names.length === 0 ? (
              <p>No reserved name fits.</p>
            ) : (
              <>
                <NamesTable names={names} failed={intent === 'release' ? failed : undefined} />
                <Pager
                  page={page}
                  href={(number) => reservedNamesHref({ ...query, page: number })}
                />
              </>
            )}
          </section>
        </div>
      </ReviewPage>
    </PageMoment.Provider>
  );
}

function Reserve({ failed }: { failed: FormError | undefined }) {
  const busy = useNavigation().formData?.get('intent') === 'reserve';
  const typed = failed?.values;
  return (
    <section className="card" aria-labelledby="reserve">
      <h2 id="reserve">Reserve a name</h2>
      <Form method="post" className="stack">
        <input type="hidden" name="intent" value="reserve" />
        {failed && (
          <p role="alert" className="form-error">
            {failed.error}
          </p>
        )}
        <FormField label="Name" name="name" failed={failed}>
          {(field) => (
            <input
              {...field}
              required
              maxLength={32}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              defaultValue={typed?.['name']}
            />
          )}
        </FormField>
        <FormField label="Why (reviewers see it)" name="reason" failed={failed}>
          {(field) => (
            <input {...field} required maxLength={500} defaultValue={typed?.['reason']} />
          )}
        </FormField>
        <FormField label="Last day, UTC (empty: for good)" name="until" failed={failed}>
          {(field) => <input {...field} type="date" defaultValue={typed?.['until']} />}
        </FormField>
        <button className="button primary" disabled={busy}>
          Reserve
        </button>
      </Form>
    </section>
  );
}

function NamesTable({ names, failed }: { names: ReservedName[]; failed: FormError | undefined }) {
  return (
    <table className="table records" role="table">
      <caption className="visually-hidden">Reserved names</caption>
      <thead role="rowgroup">
        <tr role="row">
          {['Name', 'Why', 'Since', 'Until', 'Release'].map((head) => (
            <th key={head} role="columnheader" scope="col">
              {head === 'Release' ? <span className="visually-hidden">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {names.map((row) => (
          <tr key={row.name} role="row">
            <th role="rowheader" scope="row">
              {row.name}
              {row.holder && (
                <span className="secondary remark">
                  stays with{' '}
                  <Link to={`/review/registrations/${encodeURIComponent(row.holder.note)}`}>
                    its holder
                  </Link>
                </span>
              )}
            </th>
            <td role="cell" data-label="Why" className="text">
              {row.reason}
            </td>
            <td role="cell" data-label="Since" className="text">
              <When at={row.addedAt.toISOString()} />{' '}
              <span className="secondary">by {row.addedBy}</span>
            </td>
            <td role="cell" data-label="Until">
              <Until row={row} />
            </td>
            <td role="cell">
              <Release
                name={row.name}
                failed={failed?.values['name'] === row.name ? failed : undefined}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
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

function Release({ name, failed }: { name: string; failed: FormError | undefined }) {
  return (
    <details open={failed !== undefined || undefined}>
      <summary className="link">
        Release<span className="visually-hidden"> {name}</span>
      </summary>
      <Form method="post" className="stack">
        <input type="hidden" name="intent" value="release" />
        <input type="hidden" name="name" value={name} />
        {failed && (
          <p role="alert" className="form-error">
            {failed.error}
          </p>
        )}
        <FormField label={`Why release ${name}`} name="reason" failed={failed}>
          {(field) => (
            <input {...field} required maxLength={500} defaultValue={failed?.values['reason']} />
          )}
        </FormField>
        <button className="button">Release</button>
      </Form>
    </details>
  );
}
