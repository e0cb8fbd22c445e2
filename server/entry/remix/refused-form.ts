import type { ServerBuild } from '@remix-run/node';
import { html } from 'hono/html';

/** The page contains no script and no form. */
const POLICY =
  "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/**
 * The page for a refused form. It looks like the other pages but is not rendered by Remix, which would first
 * run the loaders of the form's page, with their redirects.
 * @param refused the answer for programs; its status and headers are kept
 * @param href the page of the form
 */
export async function refusedFormPage(
  refused: Response,
  build: ServerBuild,
  { message, href }: { message: string; href: string },
): Promise<Response> {
  const styles = build.assets.routes['root']?.css ?? [];
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>The form was refused · Mesh Registry</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        ${styles.map((style) => html`<link rel="stylesheet" href="${style}" />`)}
      </head>
      <body>
        <main id="main" class="standalone">
          <h1>The form was refused</h1>
          <p>Nothing was changed. ${message}</p>
          <p><a href="${href}">Open the page again</a>, or <a href="/">go to the map</a>.</p>
        </main>
      </body>
    </html>`;
  const headers = new Headers(refused.headers);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('content-security-policy', POLICY);
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'no-referrer');
  return new Response(String(page), { status: refused.status, headers });
}
