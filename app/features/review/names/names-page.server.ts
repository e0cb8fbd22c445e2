import { redirect, type ActionFunctionArgs, type LoaderFunctionArgs } from '@remix-run/node';
import { readReservedNamesQuery, reservedNamesHref } from '#server/names/reserved-names.schema.ts';
import { formValues, runIntent } from '#app/lib/form-action.server.ts';
import { handleReviewForm, redirectAfter, requireReviewer } from '../review.server.ts';

/** GET /review/names: the reserved names that the URL's search matches. */
export async function loadReservedNames(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const query = queryOf(args);
  const list = await args.context.api.review.names.list(query);
  return { ...list, query, updatedAt: new Date().toISOString() };
}

/** Also for the forms: one is sent to the URL of its page. */
const queryOf = ({ request }: { request: Request }) =>
  readReservedNamesQuery(new URL(request.url).searchParams);

/** POST /review/names: reserves a name, or releases one. */
export function changeReservedNames(args: ActionFunctionArgs) {
  const { names } = args.context.api.review;
  return handleReviewForm(args, (form) => {
    const { name = '', reason = '', until } = formValues(form);
    return runIntent(form, {
      async reserve() {
        const reserved = await names.reserve({ name, reason, until });
        return redirect(reservedNamesHref({ q: reserved.name, page: 1 }), 303);
      },
      release: () =>
        redirectAfter(names.release({ name, reason }), reservedNamesHref(queryOf(args))),
    });
  });
}
