import type { HeadersArgs } from '@remix-run/node';

/** For pages with forms: keeps them out of search engines, and passes on when to try again. */
export function formHeaders({ actionHeaders }: HeadersArgs): Record<string, string> {
  const retryAfter = actionHeaders.get('retry-after');
  return {
    'x-robots-tag': 'noindex',
    ...(retryAfter !== null && { 'retry-after': retryAfter }),
  };
}
