import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';

/** The bar on top of every page; `children` is what the page has to say there. */
export function SiteHeader({ children }: { children?: ReactNode }) {
  return (
    <header className="site-header">
      <Link to="/" className="brand">
        <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden>
          <g stroke="currentColor" strokeWidth="2.2">
            <path d="M16 17 8.5 10M16 17l7.5-7M16 17v7.5" />
            <circle cx="16" cy="17" r="2.4" fill="currentColor" />
            <circle cx="8" cy="9" r="3" fill="none" />
            <circle cx="24" cy="9" r="3" fill="none" />
            <circle cx="16" cy="26" r="3" fill="none" />
          </g>
        </svg>
        Mesh Registry
      </Link>
      {children}
    </header>
  );
}
