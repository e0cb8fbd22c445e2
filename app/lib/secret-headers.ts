/** Headers of a page whose address is a secret: nobody keeps it, finds it, or is told of it by a link. */
export const SECRET_HEADERS = {
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
