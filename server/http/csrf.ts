import { AppError } from '#server/common/errors.schema.ts';

/**
 * What changes something for the one who is signed in must come from a page of ours, or from a person
 * without any page. Sec-Fetch-Site is the browser's own word, which no page can forge; browsers leave it
 * out over plain http to another machine: there Origin has to be ours. Who sends neither is no browser
 * of today.
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
      ? 'The request does not say which page it comes from: without scripts, browsers leave that out over plain http to another machine. Open the page over https, or on the machine itself as localhost, and send it again.'
      : 'This came from another site. Open the page here and try again.',
  );
}
