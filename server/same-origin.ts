import { AppError } from './schemas/errors.ts';

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
  const ours =
    site === null
      ? headers.get('origin') === new URL(own).origin
      : site === 'same-origin' || site === 'none';
  if (!ours)
    throw new AppError(
      'forbidden',
      'This came from another site. Open the page here and try again.',
    );
}
