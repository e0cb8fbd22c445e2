import { redirect, type HeadersArgs, type TypedResponse } from '@remix-run/node';

/** What the pages around signing in share. */

/** On to another page, with the cookies that a session begins or ends with. */
export function goWith(cookies: string[], path: string): TypedResponse<never> {
  return redirect(path, {
    status: 303,
    headers: cookies.map((cookie): [string, string] => ['set-cookie', cookie]),
  });
}

/** Of a page with forms that reviewers see: in no search, and when to try again. */
export function formHeaders({ actionHeaders }: HeadersArgs): Record<string, string> {
  const retryAfter = actionHeaders.get('retry-after');
  return {
    'x-robots-tag': 'noindex',
    ...(retryAfter !== null && { 'retry-after': retryAfter }),
  };
}
