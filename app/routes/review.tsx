import type { MetaFunction } from '@remix-run/node';
import {
  Outlet,
  useLoaderData,
  useRouteError,
  useRouteLoaderData,
  type ShouldRevalidateFunctionArgs,
} from '@remix-run/react';
import { ReviewPage } from '#app/features/review/review-page.tsx';
import { PendingCountProvider } from '#app/features/review/pending-count.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { ErrorActions } from '#app/ui/error-actions.tsx';
import { explainError } from '#app/lib/errors.ts';
import { isFormError } from '#app/lib/form-error.ts';
import { pageTitle } from '#app/lib/network.tsx';
import { loadDashboard } from '#app/features/review/review.server.ts';

export const loader = loadDashboard;

/** Only after a form, which may have changed it: each page below checks who is signed in by itself. */
export const shouldRevalidate = ({ formMethod, actionResult }: ShouldRevalidateFunctionArgs) =>
  formMethod === 'POST' && !isFormError(actionResult);

/** Only of an error: every page below has its own. */
export const meta: MetaFunction<typeof loader> = ({ error }) =>
  error === undefined ? [] : [{ title: pageTitle(explainError(error).title, 'Review') }];

export const headers = () => ({ 'x-robots-tag': 'noindex' });

export default function Review() {
  const { pending } = useLoaderData<typeof loader>();
  return (
    <PendingCountProvider initial={pending}>
      <Outlet />
    </PendingCountProvider>
  );
}

/** An error of a page below, with the tabs that lead to the others. */
export function ErrorBoundary() {
  const { heading, text, again } = explainError(useRouteError());
  const pending = useRouteLoaderData<typeof loader>('routes/review')?.pending ?? 0;
  return (
    <PendingCountProvider initial={pending}>
      <ReviewPage title={heading} intro={text}>
        <ErrorActions
          again={again}
          ways={[{ to: hrefs.review.queue(), text: 'Go to the queue' }]}
        />
      </ReviewPage>
    </PendingCountProvider>
  );
}
