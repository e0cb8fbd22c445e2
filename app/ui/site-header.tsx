import { NavLink, useLocation, useNavigation } from '@remix-run/react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import { useNetwork } from '#app/lib/network.tsx';
import { POPOVER, popoverTarget } from '#app/lib/remix-workarounds/popover.ts';
import button from './button.module.css';
import { Link } from './link.tsx';
import styles from './site-header.module.css';
import { SiteSearch } from './site-search.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const LINKS = [
  { to: hrefs.map(), name: 'Map' },
  { to: hrefs.computes(), name: 'Compute' },
  { to: hrefs.registry(), name: 'Registry' },
  { to: hrefs.trends(), name: 'Trends' },
  { to: hrefs.docs.home(), name: 'Docs' },
  { to: hrefs.status(), name: 'Status' },
];

/** The place of what concerns the whole page, such as that the service doesn't answer. It is there before that, so that screen readers hear of it. */
export const NEWS = 'site-news';

/** Where a registration starts. */
const REGISTER = hrefs.register();

/** The bar on top of every page. @param children the page's own part of it, such as whether it is live */
export function SiteHeader({ children }: { children?: ReactNode }) {
  const { name: network } = useNetwork();
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // A phone's menu closes once another page is shown.
  useEffect(() => nav.current?.hidePopover?.(), [pathname]);
  const waiting = useLongWait();
  return (
    <>
      <header className={styles.header}>
        <Link to={hrefs.map()} className={styles.brand} aria-label={network}>
          <Mark />
          <span>{network}</span>
        </Link>
        <nav ref={nav} id="site-nav" className={styles.nav} aria-label="Site" {...POPOVER}>
          {LINKS.map(({ to, name }) => (
            <NavLink
              key={to}
              to={to}
              discover="none"
              end={to === hrefs.map()}
              {...(to === hrefs.status() && { className: styles.second ?? '' })}
            >
              {name}
            </NavLink>
          ))}
          <div className={styles.theme}>
            <ThemeSwitch withWords />
          </div>
          <RegisterLink />
        </nav>
        <div className={styles.end}>
          <SiteSearch />
          {children && (
            <Link to={hrefs.status()} className={styles.live}>
              {children}
            </Link>
          )}
          <div className={styles.theme}>
            <ThemeSwitch />
          </div>
          <RegisterLink />
          <button
            type="button"
            className={`${button.icon} ${styles.toggle}`}
            aria-label="Menu"
            {...popoverTarget('site-nav')}
          >
            <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden>
              <path d="M3 6h14M3 10h14M3 14h14" stroke="currentColor" strokeWidth="1.75" />
            </svg>
          </button>
        </div>
        {waiting && <div className={styles.loading} />}
      </header>
      <div id={NEWS} className={styles.news} aria-live="polite" />
    </>
  );
}

/** A page that takes longer than this to arrive says so, ms. */
const LONG_WAIT_MS = 400;

/** Whether the next page has been on its way for a while. */
function useLongWait(): boolean {
  const { state } = useNavigation();
  const [long, setLong] = useState(false);
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setLong(true), LONG_WAIT_MS);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [state]);
  return long;
}

/** Secondary on the pages of registrations and of reviewers, whose forms have the primary button. */
function RegisterLink() {
  const { pathname } = useLocation();
  const registering = [REGISTER, hrefs.dashboard()].some(
    (path) => pathname === path || pathname.startsWith(`${path}/`),
  );
  return (
    <Link
      to={REGISTER}
      className={`${registering ? button.button : button.primary} ${styles.register}`}
    >
      Register a name
    </Link>
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
