import { AppError } from '#server/common/errors.schema.ts';

/**
 * Requires that a request comes from one of our pages, or from the person directly (a bookmark). Pages cannot
 * forge Sec-Fetch-Site. Browsers omit it over plain http to another machine; then Origin must be ours. Every
 * current browser sends one of them.
 * @param own scheme and host under which this service is reached
 * @throws AppError `forbidden`
 */
export function requireSameOrigin(headers: Headers, own: string): void {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const ours =
    site === null ? origin === new URL(own).origin : site === 'same-origin' || site === 'none';
  if (ours) return;
  const silent = site === null && (origin === null || origin === 'null');
  throw new AppError(
    'forbidden',
    silent
      ? 'Your browser did not say which page this request comes from. Without JavaScript, browsers omit that over plain http to another machine. Open the page over https, or as localhost on the machine itself, and send it again.'
      : 'This came from another site. Open the page here and try again.',
  );
}
