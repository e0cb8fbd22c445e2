import { Link, NavLink, useLocation } from '@remix-run/react';
import { useEffect, useRef, type ReactNode } from 'react';
import { ThemeSwitch } from './theme-switch.tsx';

const PLACES = [
  { to: '/', name: 'Map' },
  { to: '/computes', name: 'Computes' },
  { to: '/registry', name: 'Registry' },
  { to: '/docs', name: 'Docs' },
  { to: '/status', name: 'Status' },
];

/** Where a registration begins. */
const REGISTER = '/register';

/** The bar on top of every page; `children` is what the page has to say there. */
export function SiteHeader({ children }: { children?: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // The menu of a phone has done its work once another page is there.
  useEffect(() => nav.current?.hidePopover?.(), [pathname]);
  return (
    <header className="site-header">
      <Link to="/" className="brand" aria-label="Mesh Registry">
        <Mark />
        <span>Mesh Registry</span>
      </Link>
      <nav
        ref={nav}
        id="site-nav"
        className="site-nav"
        aria-label="Site"
        // React 18 passes these two attributes on, but its types do not know them.
        {...{ popover: 'auto' }}
      >
        {PLACES.map(({ to, name }) => (
          <NavLink key={to} to={to} end={to === '/'}>
            {name}
          </NavLink>
        ))}
        <Link to={REGISTER} className="button primary register">
          Register a name
        </Link>
      </nav>
      <div className="site-header-end">
        {children}
        <ThemeSwitch />
        <Link to={REGISTER} className="button primary register">
          Register a name
        </Link>
        <button
          type="button"
          className="icon site-nav-toggle"
          aria-label="Menu"
          {...{ popovertarget: 'site-nav' }}
        >
          <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden>
            <path d="M3 6h14M3 10h14M3 14h14" stroke="currentColor" strokeWidth="1.75" />
          </svg>
        </button>
      </div>
    </header>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden>
      <g stroke="currentColor" strokeWidth="2.2">
        <path d="M16 17 8.5 10M16 17l7.5-7M16 17v7.5" />
        <circle cx="16" cy="17" r="2.4" fill="currentColor" />
        <circle cx="8" cy="9" r="3" fill="none" />
        <circle cx="24" cy="9" r="3" fill="none" />
        <circle cx="16" cy="26" r="3" fill="none" />
      </g>
    </svg>
  );
}
