import { AppError } from './schemas/errors.ts';

/**
 * A request that changes something for the one who is signed in must come from a page of ours. Browsers
 * say where it comes from and let no page say otherwise: Sec-Fetch-Site, and Origin where that is
 * missing. One that says neither is not a browser, and has no cookie that somebody else could use.
 * @param own scheme and host of this service, as the browser knows them
 * @throws AppError `forbidden`
 */
export function requireSameOrigin(headers: Headers, own: string): void {
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  // `none`: the person themselves, by the address bar or by reloading the page.
  const foreign =
    site !== null ? site !== 'same-origin' && site !== 'none' : origin !== null && origin !== own;
  if (foreign)
    throw new AppError(
      'forbidden',
      'This came from another site. Open the page here and try again.',
    );
}
