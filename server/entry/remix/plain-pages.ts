import type { ServerBuild } from '@remix-run/node';
import { html } from 'hono/html';
import type { Config } from '#server/config.ts';
import type { Reply } from '../rest/engine.ts';

/** Pages that look like the others but are not rendered by Remix: they cost next to nothing. */

/** They contain no script and no form. */
const POLICY =
  "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** What such a page says. */
interface Shown {
  message: string;
  /** The page that was asked for, or that of the form. */
  href: string;
  network: Config['network'];
}

/**
 * The page for a refused form. Remix would first run the loaders of the form's page, with their redirects.
 * @param refused the reply for programs; its status and headers are kept
 */
export const refusedFormPage = (
  refused: Reply,
  build: ServerBuild,
  { message, href, network }: Shown,
): Promise<Reply> =>
  plainPage(
    refused,
    build,
    network,
    'The form was refused',
    html`<p>Nothing was changed. ${message}</p>
      <p><a href="${href}">Open the page again</a>, or <a href="/">go to the map</a>.</p>`,
  );

/** The page for one that could not be rendered in time, or that a limit refuses. Parameters are as above. */
export const refusedPage = (
  refused: Reply,
  build: ServerBuild,
  { message, href, network }: Shown,
): Promise<Reply> =>
  plainPage(
    refused,
    build,
    network,
    refused.status === 429 ? 'Too many requests' : 'This page is busy',
    html`<p>${message}</p>
      <p><a href="${href}">Open the page again</a></p>`,
  );

async function plainPage(
  { status, headers }: Reply,
  build: ServerBuild,
  { name, contactUrl }: Config['network'],
  title: string,
  content: ReturnType<typeof html>,
): Promise<Reply> {
  const styles = build.assets.routes['root']?.css ?? [];
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${name}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        ${styles.map((style) => html`<link rel="stylesheet" href="${style}" />`)}
      </head>
      <body>
        <main id="main" class="standalone">
          <h1>${title}</h1>
          ${content}
          ${contactUrl !== null && html`<p><a href="${contactUrl}">Contact the operator of this network</a></p>`}
        </main>
      </body>
    </html>`;
  const body = String(page);
  return {
    status,
    headers: {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body,
  };
}
