import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { decisionAction } from '#app/features/review/queue/decision-action.server.ts';
import { RegistrationPage } from '#app/features/review/registrations/registration-page.tsx';
import {
  noRegistration,
  redirectToCanonicalNote,
  requireReviewer,
} from '#app/features/review/review.server.ts';
import * as hrefs from '#app/lib/hrefs.ts';

export async function loader(args: LoaderFunctionArgs) {
  await requireReviewer(args);
  const note = args.params['note'] ?? '';
  redirectToCanonicalNote(note, hrefs.review.registration);
  try {
    return await args.context.api.review.queue.get({ note });
  } catch (error) {
    if (noRegistration(error))
      // oxlint-disable-next-line typescript/only-throw-error
      throw new Response(null, { status: 404, statusText: 'Not Found' });
    throw error;
  }
}
export {
  offlineAction as clientAction,
  offlineLoader as clientLoader,
} from '#app/lib/stale-while-offline.ts';
/** Also after a refused form: another reviewer has changed what it was about. */
export const shouldRevalidate = () => true;

export const action = (args: ActionFunctionArgs) => {
  const here = () => hrefs.review.registration(args.params['note'] ?? '');
  return decisionAction(args, { decided: here, stay: here, undone: here });
};

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `${data?.registration.name ?? 'Registration'} · Review · Mesh Registry` },
];

export default function Registration() {
  return <RegistrationPage loaded={useLoaderData<typeof loader>()} />;
}
