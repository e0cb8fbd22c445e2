import type { LinksFunction } from '@remix-run/node';
import {
  isRouteErrorResponse,
  Link,
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useRouteError,
} from '@remix-run/react';
import { useContext, type ReactNode } from 'react';
import { SiteHeader } from './components/site-header.tsx';
import { NonceContext } from './nonce.ts';
import styles from './styles/app.css?url';

export const links: LinksFunction = () => [
  { rel: 'stylesheet', href: styles },
  { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
];

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useContext(NonceContext);
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content="#fffefb" />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#151b23" />
        <Meta />
        <Links />
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
  const missing = isRouteErrorResponse(error) && error.status === 404;
  return (
    <>
      <title>{`${missing ? 'Not found' : 'Something went wrong'} · Mesh Registry`}</title>
      <SiteHeader />
      <main id="main" className="message">
        <h1>{missing ? 'There is nothing here' : 'Something went wrong'}</h1>
        <p>
          {missing
            ? 'The address is not one of ours. It may have been typed wrong.'
            : 'The mistake is on our side. Try again in a moment.'}
        </p>
        <p>
          <Link to="/">Go to the map</Link>
        </p>
      </main>
    </>
  );
}
