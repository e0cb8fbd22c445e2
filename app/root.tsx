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
        <Meta />
        <Links />
      </head>
      <body>
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
    <main className="message">
      <title>{missing ? 'Not found' : 'Something went wrong'} · Mesh Registry</title>
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
  );
}
