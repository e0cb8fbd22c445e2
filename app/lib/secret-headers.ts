/** Headers of a page whose URL is a secret: it is never cached, indexed, or sent in a Referer header. */
export const SECRET_HEADERS = {
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
