import {
  isRouteErrorResponse,
  type ClientActionFunctionArgs,
  type ClientLoaderFunctionArgs,
  type ShouldRevalidateFunctionArgs,
} from '@remix-run/react';
import * as hrefs from './hrefs.ts';
import { isFormError, safeValues, type FormError } from './form-error.ts';
import { openPageData, shownData } from './open-page.client.ts';
import { serviceAway } from './service-away.ts';

/**
 * The browser's side of loaders and actions. While the service doesn't answer, or once the session has
 * ended, an open page stays with everything typed into it; otherwise Remix would replace it with an error
 * page or the sign-in page as soon as one request fails.
 *
 * A route needs `export { offlineLoader as clientLoader }` and in its page usePageRefresh (lib/page-refresh.ts), or
 * ReviewPage around it, and where it has forms `export { offlineAction as clientAction }`. A page that is only a form
 * needs just the latter, and `export { unlessRefused as shouldRevalidate }`.
 */

/** Why a page shows old data: there was no answer, or the session has ended. */
export type StaleReason = 'offline' | 'signed-out';

/** The data of a page whose last request failed. */
export interface MaybeStale {
  stale?: StaleReason;
}

export const staleReason = (data: unknown): StaleReason | undefined =>
  typeof data === 'object' && data !== null ? (data as MaybeStale).stale : undefined;

/** An answer that takes longer counts as none (ms). Uploads may take a while on a slow line. */
const TIMEOUT_MS = 10_000;
const UPLOAD_TIMEOUT_MS = 120_000;

export async function offlineLoader({ request, serverLoader }: ClientLoaderFunctionArgs) {
  try {
    return await withTimeout(serverLoader());
  } catch (thrown) {
    const reason = isSignIn(thrown) ? 'signed-out' : isAnswer(thrown) ? null : 'offline';
    const { pathname, search } = new URL(request.url);
    const data =
      openPageData(pathname) ?? (reason === 'offline' ? shownData(pathname + search) : undefined);
    if (!reason || !data) throw thrown;
    return { ...data, stale: reason } satisfies MaybeStale;
  }
}

/** What to do when no answer came: for every form of a page, or by its `intent`. */
type Advice = string | Record<string, string>;

/** @param advice for a form that has none, that sending it again does no harm */
export async function offlineAction(
  { request, serverAction }: ClientActionFunctionArgs,
  advice: Advice = UNKNOWN_OUTCOME,
) {
  const form = await request.clone().formData();
  const typed = safeValues(form);
  const timeout = [...form.values()].some((value) => value instanceof File)
    ? UPLOAD_TIMEOUT_MS
    : TIMEOUT_MS;
  try {
    const answer = await withTimeout(serverAction(), timeout);
    // A form that the server refused without reading it comes back without its values.
    return isFormError(answer) ? { ...answer, values: { ...typed, ...answer.values } } : answer;
  } catch (thrown) {
    if (isAnswer(thrown)) throw thrown;
    serviceAway.unanswered();
    const intent = typed['intent'] ?? '';
    const told =
      typeof advice === 'string' ? advice : Object.hasOwn(advice, intent) && advice[intent];
    return {
      error: `The service didn’t answer. ${told || UNKNOWN_OUTCOME}`,
      code: 'unavailable',
      fields: {},
      values: typed,
      lost: true,
    } satisfies FormError;
  }
}

/** {@link offlineAction} with advice for forms that can't simply be sent again. */
export const offlineActionWith = (advice: Advice) => (args: ClientActionFunctionArgs) =>
  offlineAction(args, advice);

/** A form that was refused, or had no answer, changed nothing else on its page: don't load it again. */
export const unlessRefused = ({
  actionResult,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean => !isFormError(actionResult) && defaultShouldRevalidate;

const UNKNOWN_OUTCOME =
  'We don’t know yet whether it was done; this page will show it once the service answers. It is safe to send it again.';

/** The answer, unless it takes too long. */
export function withTimeout<T>(answer: Promise<T>, ms = TIMEOUT_MS): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), ms);
  });
  return Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
}

/** A redirect, or a page that doesn't exist or isn't allowed; not a failure of the service or a proxy. */
export const isAnswer = (thrown: unknown): boolean =>
  thrown instanceof Response || (isRouteErrorResponse(thrown) && thrown.status < 500);

const isSignIn = (thrown: unknown): boolean =>
  thrown instanceof Response &&
  (thrown.headers.get('location')?.startsWith(hrefs.signIn()) ?? false);
