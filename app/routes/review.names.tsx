import {
  redirect,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { readReservedNamesQuery, reservedNamesHref } from '#server/names/reserved-names.schema.ts';
import { NamesPage } from '#app/features/review/names/names-page.tsx';
import { handleReviewForm, requireReviewer } from '#app/features/review/review.server.ts';
import { formValues, unknownIntent } from '#app/lib/form-action.server.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const query = queryOf(args);
  const list = await args.context.api.review.names.list(query);
  return { ...list, query, updatedAt: new Date().toISOString() };
}
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';

/** Also for the action: a form is sent to the URL of its page. */
const queryOf = ({ request }: { request: Request }) =>
  readReservedNamesQuery(new URL(request.url).searchParams);

export function action(args: ActionFunctionArgs) {
  const { names } = args.context.api.review;
  return handleReviewForm(args, async (form) => {
    const { intent, name = '', reason = '', until } = formValues(form);
    if (intent === 'reserve') {
      const reserved = await names.reserve({ name, reason, until });
      return redirect(reservedNamesHref({ q: reserved.name, page: 1 }), 303);
    }
    if (intent !== 'release') throw unknownIntent();
    await names.release({ name, reason });
    return redirect(reservedNamesHref(queryOf(args)), 303);
  });
}

export const meta: MetaFunction = () => [{ title: 'Reserved names · Mesh Registry' }];

export default function Names() {
  return <NamesPage list={useLoaderData<typeof loader>()} />;
}
