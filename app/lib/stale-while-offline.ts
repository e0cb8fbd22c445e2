import {
  isRouteErrorResponse,
  type ClientActionFunctionArgs,
  type ClientLoaderFunctionArgs,
  type ShouldRevalidateFunctionArgs,
} from '@remix-run/react';
import { isFormError, typedIn, type FormError } from './form-error.ts';

/**
 * The browser's side of loaders and actions: a page that is open stays, with what is typed into it, while
 * the service does not answer, and when the session has ended. Without this Remix puts its error page, or the
 * one for signing in, in its place as soon as a single request fails.
 *
 * A route needs `export { keptLoader as clientLoader }`, and in its page `show` (ReviewPage and useRefresh
 * see to that), and where it has forms `export { keptAction as clientAction }`. A page that is nothing
 * but its form needs the latter, and `export { unlessRefused as shouldRevalidate }`.
 */

/** Why a page shows what it had: there was no answer, or nobody is signed in any more. */
export type Kept = 'away' | 'ended';

/** True of the data of a page where the last request brought none. */
export interface MayBeKept {
  kept?: Kept;
}

export const keptOf = (data: unknown): Kept | undefined =>
  typeof data === 'object' && data !== null ? (data as MayBeKept).kept : undefined;

/** An answer that takes longer than this counts as none (ms); a file takes its time on a slow line. */
const LIMIT_MS = 10_000;
const UPLOAD_LIMIT_MS = 120_000;

/** What the open page shows, and of which address. */
let shown: { pathname: string; data: object } | undefined;

/** Tells what the open page shows. @returns what takes it back, for useEffect */
export function show(pathname: string, data: object): () => void {
  const own = { pathname, data };
  shown = own;
  return () => {
    if (shown === own) shown = undefined;
  };
}

export async function keptLoader({ request, serverLoader }: ClientLoaderFunctionArgs) {
  const { pathname } = new URL(request.url);
  try {
    return await inTime(serverLoader());
  } catch (thrown) {
    const kept = isSignIn(thrown) ? 'ended' : isAnswer(thrown) ? null : 'away';
    // There is nothing to keep of another page.
    if (!kept || shown?.pathname !== pathname) throw thrown;
    return { ...shown.data, kept } satisfies MayBeKept;
  }
}

/**
 * @param says what to do when no answer came, by the form's `intent`; for a form that it has no words for, that
 *   sending it once more does no harm
 */
export async function keptAction(
  { request, serverAction }: ClientActionFunctionArgs,
  says?: (intent: string) => string | undefined,
) {
  const form = await request.clone().formData();
  const typed = typedIn(form);
  const limit = [...form.values()].some((value) => value instanceof File)
    ? UPLOAD_LIMIT_MS
    : LIMIT_MS;
  try {
    const answer = await inTime(serverAction(), limit);
    // A form that the server refused unread.
    return isFormError(answer) ? { ...answer, values: { ...typed, ...answer.values } } : answer;
  } catch (thrown) {
    if (isAnswer(thrown)) throw thrown;
    const what = says?.(typed['intent'] ?? '') ?? NOT_KNOWN;
    return {
      error: `The service did not answer. ${what}`,
      code: 'unavailable',
      fields: {},
      values: typed,
      lost: true,
    } satisfies FormError;
  }
}

/** A form that was refused, or had no answer, changed nothing else on its page: there is no more to ask for. */
export const unlessRefused = ({
  actionResult,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean => !isFormError(actionResult) && defaultShouldRevalidate;

const NOT_KNOWN =
  'Whether it was done is not known: this page shows it as soon as the service answers again. To send it once more does no harm.';

/** What the server answers, unless that takes too long. */
export async function inTime<T>(answer: Promise<T>, ms = LIMIT_MS): Promise<T> {
  let limit: ReturnType<typeof setTimeout> | undefined;
  try {
    return await Promise.race([
      answer,
      new Promise<never>((_, reject) => {
        limit = setTimeout(() => reject(new Error('no answer in time')), ms);
      }),
    ]);
  } finally {
    clearTimeout(limit);
  }
}

/** A redirect, or a page that is not there or not for one; not a failure of the service or of a proxy before it. */
export const isAnswer = (thrown: unknown): boolean =>
  thrown instanceof Response || (isRouteErrorResponse(thrown) && thrown.status < 500);

const isSignIn = (thrown: unknown): boolean =>
  thrown instanceof Response &&
  (thrown.headers.get('location')?.startsWith('/review/sign-in') ?? false);
