import type { LoaderFunctionArgs } from '@remix-run/node';
import {
  Outlet,
  useLoaderData,
  useRouteError,
  useRouteLoaderData,
  type ShouldRevalidateFunctionArgs,
} from '@remix-run/react';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { UndecidedProvider } from '#app/features/review/pending-count.tsx';
import { ErrorActions } from '#app/ui/error-actions.tsx';
import { explainError } from '#app/lib/errors.ts';
import { isFormError } from '#app/lib/form-error.ts';
import { requireReviewer } from '#app/features/review/review.server.ts';

/** The frame of what reviewers see: who is signed in, what they are called, and how much waits, for the pages below. */
export async function loader(args: LoaderFunctionArgs) {
  const { name, email, role } = await requireReviewer(args);
  const { review, reviewers } = args.context.services;
  const [undecided, names] = await Promise.all([review.countUndecided(), reviewers.names()]);
  return { reviewer: { name, email, role }, undecided, names };
}

/** Only where one can change it oneself: each page below looks who is signed in, and stays where nobody answers. */
export const shouldRevalidate = ({ formAction, actionResult }: ShouldRevalidateFunctionArgs) =>
  /^\/review\/(account|reviewers)/.test(formAction ?? '') && !isFormError(actionResult);

export const headers = () => ({ 'x-robots-tag': 'noindex' });

export default function Review() {
  const { undecided } = useLoaderData<typeof loader>();
  return (
    <UndecidedProvider loaded={undecided}>
      <Outlet />
    </UndecidedProvider>
  );
}

/** Of the pages below: with the way to the others. */
export function ErrorBoundary() {
  const { title, heading, text, again } = explainError(useRouteError());
  const undecided = useRouteLoaderData<typeof loader>('routes/review')?.undecided ?? 0;
  return (
    <UndecidedProvider loaded={undecided}>
      <title>{`${title} · Review · Mesh Registry`}</title>
      <ReviewPage title={heading} intro={text}>
        <ErrorActions again={again} ways={[{ to: '/review', text: 'Go to the queue' }]} />
      </ReviewPage>
    </UndecidedProvider>
  );
}
