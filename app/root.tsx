import type { LinksFunction } from '@remix-run/node';
import {
  isRouteErrorResponse,
  Link,
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLocation,
  useRouteError,
} from '@remix-run/react';
import { useContext, type ReactNode } from 'react';
import { Page } from './components/page.tsx';
import { NonceContext } from './nonce.ts';
import styles from './styles/app.css?url';
import { THEME_SCRIPT } from './theme.ts';

export const links: LinksFunction = () => [
  { rel: 'stylesheet', href: styles },
  { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
  { rel: 'apple-touch-icon', href: '/icon-180.png' },
  { rel: 'manifest', href: '/manifest.webmanifest' },
];

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useContext(NonceContext);
  return (
    // The script below may have set the theme before React takes over.
    <html lang="en" suppressHydrationWarning>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content="#fffefb" />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#151b23" />
        <Meta />
        <Links />
        <script
          nonce={nonce}
          suppressHydrationWarning
          dangerouslySetInnerHTML={{ __html: THEME_SCRIPT }}
        />
      </head>
      <body>
        <a className="skip" href="#main">
          Skip to the content
        </a>
        {children}
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
      </body>
    </html>
  );
}

export default function App() {
  return <Outlet />;
}

export function ErrorBoundary() {
  const error = useRouteError();
  const { pathname, search } = useLocation();
  const { title, heading, text, again } = explain(error);
  return (
    <>
      <title>{`${title} · Mesh Registry`}</title>
      <Page title={heading} intro={text}>
        <ul className="chips">
          {again && (
            <li>
              <Link className="button primary" to={pathname + search} reloadDocument>
                Try again
              </Link>
            </li>
          )}
          <li>
            <Link className={again ? 'button' : 'button primary'} to="/">
              Go to the map
            </Link>
          </li>
          <li>
            <Link className="button" to="/registry">
              Look for a name
            </Link>
          </li>
          <li>
            <Link className="button" to="/docs/operators">
              Find your node
            </Link>
          </li>
        </ul>
      </Page>
    </>
  );
}

/** What happened, in words, and whether the same address may work a moment later. */
function explain(error: unknown) {
  if (isRouteErrorResponse(error) && error.status === 404)
    return {
      title: 'Not found',
      heading: 'There is nothing here',
      text: 'The address is not one of ours. It may have been typed wrong, or what it showed is gone.',
      again: false,
    };
  if (isRouteErrorResponse(error) && error.status === 403)
    return {
      title: 'Not for you',
      heading: 'This page is for administrators',
      text: 'Your account reviews registrations. An administrator can change its role.',
      again: false,
    };
  // What fetch() throws where there is no answer; a page that the server renders never gets here so.
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message))
    return {
      title: 'No answer',
      heading: 'The service does not answer',
      text: 'It may be away for a moment, or this device has no network.',
      again: true,
    };
  return {
    title: 'Something went wrong',
    heading: 'Something went wrong',
    text: 'The mistake is on our side. Try again in a moment.',
    again: true,
  };
}
