import type { LinksFunction, MetaFunction } from '@remix-run/node';
import {
  Links,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLocation,
  useMatches,
  useRevalidator,
  useRouteError,
} from '@remix-run/react';
import { useContext, useEffect, useRef, useState, type ReactNode } from 'react';
import { Clock, ClockContext } from '#app/lib/clock.ts';
import { explainError } from '#app/lib/errors.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { networkAttribute, PageMeta, pageTitle, useNetwork } from '#app/lib/network.tsx';
import { keepShown } from '#app/lib/open-page.client.ts';
import { NonceContext, type PageHandle } from '#app/lib/page-handle.ts';
import { RequestIdContext, requestIdAttribute } from '#app/lib/request-id.tsx';
import { useIsomorphicLayoutEffect } from '#app/lib/remix-workarounds/use-isomorphic-layout-effect.ts';
import { THEME_SCRIPT } from '#app/lib/theme.ts';
import { ErrorPage } from '#app/ui/error-page.tsx';
import { ShortcutSettingProvider } from '#app/ui/shortcut-setting.tsx';
import page from '#app/ui/page.module.css';
import '#app/styles/base.css';

export const links: LinksFunction = () => [
  { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
  { rel: 'apple-touch-icon', href: '/icon-180.png' },
  { rel: 'manifest', href: '/manifest.webmanifest' },
];

/** Only of an error: every page has its own. */
export const meta: MetaFunction = ({ error }) =>
  error === undefined ? [] : [{ title: pageTitle(explainError(error).title) }];

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useContext(NonceContext);
  const network = useNetwork();
  const requestId = useContext(RequestIdContext);
  const [clock] = useState(() => new Clock());
  // A sandboxed frame has no storage, and its page doesn't scroll.
  const framed = useMatches().some(({ handle }) => (handle as PageHandle | undefined)?.frameable);
  return (
    // The script below may set the theme before React hydrates.
    <html
      lang="en"
      {...networkAttribute(network)}
      {...requestIdAttribute(requestId)}
      suppressHydrationWarning
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content="#fffefb" />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#151b23" />
        <PageMeta />
        <Links />
        <script
          nonce={nonce}
          suppressHydrationWarning
          dangerouslySetInnerHTML={{ __html: THEME_SCRIPT }}
        />
      </head>
      <body>
        <a className={page.skip} href="#main">
          Skip to content
        </a>
        <ClockContext.Provider value={clock}>
          <ShortcutSettingProvider>{children}</ShortcutSettingProvider>
        </ClockContext.Provider>
        {!framed && <ScrollRestoration nonce={nonce} />}
        <Scripts nonce={nonce} />
      </body>
    </html>
  );
}

export default function App() {
  useScrollKept();
  useDataKept();
  return <Outlet />;
}

/** Keeps the data of the page for when Back leads to it while the service doesn't answer. The dashboard's are nobody's later. */
function useDataKept(): void {
  const { pathname, search } = useLocation();
  const data = useMatches().at(-1)?.data;
  useEffect(() => {
    if (typeof data === 'object' && data !== null && !pathname.startsWith(hrefs.dashboard()))
      keepShown(pathname + search, data);
  }, [pathname, search, data]);
}

/**
 * Keeps the scroll position of a page that refreshes itself. ScrollRestoration takes a refresh for a navigation
 * and, when the response arrives, scrolls back to where the page was when the refresh began. Use this above it,
 * so that it reads the position first.
 */
function useScrollKept(): void {
  const { state } = useRevalidator();
  const { key } = useLocation();
  const shown = useRef(key);
  useIsomorphicLayoutEffect(() => {
    const refreshed = state === 'idle' && shown.current === key;
    shown.current = key;
    if (!refreshed) return;
    const { scrollX, scrollY } = window;
    queueMicrotask(() => window.scrollTo(scrollX, scrollY));
  }, [state, key]);
}

export const ErrorBoundary = () => <ErrorPage error={useRouteError()} />;
