import type { HeadersFunction } from '@remix-run/node';

/** Headers of a page whose URL is a secret: it is never cached, indexed, or sent in a Referer header. */
export const SECRET_HEADERS = {
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** The `headers` of the route of such a page: with those of its action, such as when a refused form may be sent again. */
export const secretHeaders: HeadersFunction = ({ actionHeaders }) => {
  const headers = new Headers(actionHeaders);
  for (const [name, value] of Object.entries(SECRET_HEADERS)) headers.set(name, value);
  return headers;
};
