import type { LoaderFunctionArgs } from '@remix-run/node';
import { NavLink, Outlet, useLoaderData, useLocation, useMatches } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import type { SectionLink } from '#app/features/docs/section.tsx';
import { Page } from '#app/ui/page.tsx';
import type { DocsContext, DocsPage } from '#app/features/docs/page.ts';
import styles from '#app/features/docs/docs.module.css';

const PAGES = [
  { to: '/docs', name: 'Reference' },
  { to: '/docs/operators', name: 'Operators' },
  { to: '/docs/status-pages', name: 'Status pages' },
  { to: '/docs/privacy', name: 'Privacy' },
];

export function loader({ context }: LoaderFunctionArgs): DocsContext {
  const { config } = context.services;
  return {
    origin: context.origin(),
    credential: config.webhookSecrets.length > 0,
    credentialRequired: config.production,
    coordinateGrid: config.coordinateGrid,
    computeFreshMs: config.computeFreshMs,
    holdMs: config.holdMs,
    feeUsd: (config.feeCents / 100).toFixed(2),
    listsActivatedOnly: config.computeListing === 'activated',
  };
}

/** Nothing of it changes while the service runs. */
export const shouldRevalidate = () => false;

export default function Docs() {
  const context = useLoaderData<typeof loader>();
  const page = useMatches().at(-1);
  useSectionLinks();
  const { title, intro, sections } = page?.handle as DocsPage;
  return (
    <Page title={title} intro={intro}>
      <div className={styles.columns}>
        <div className={styles.side}>
          <nav aria-label="Documentation" className={styles.pages}>
            <ul>
              {PAGES.map(({ to, name }) => (
                <li key={to}>
                  <NavLink to={to} end>
                    {name}
                  </NavLink>
                </li>
              ))}
            </ul>
          </nav>
          <nav aria-label="On this page" className={styles.contents}>
            <Sections sections={typeof sections === 'function' ? sections(page?.data) : sections} />
          </nav>
        </div>
        <div className={styles.text}>
          <Outlet context={context} />
        </div>
      </div>
    </Page>
  );
}

function Sections({ sections }: { sections: SectionLink[] }) {
  return (
    <ul>
      {sections.map(({ id, title, code, below }) => (
        <li key={id}>
          <a href={`#${id}`}>{code ? <code>{title}</code> : title}</a>
          {below && <Sections sections={below} />}
        </li>
      ))}
    </ul>
  );
}

/**
 * A click on `#section` is left to the browser, which moves the focus too. But the router takes it for
 * a step back to the first entry of its history, and scrolls to where that was: put right here.
 */
function useSectionLinks(): void {
  const location = useLocation();
  const first = useRef(location);
  useEffect(() => {
    // The router gives its own entries a key. The page as it was loaded is where the browser put it.
    if (location === first.current || location.key !== 'default' || !location.hash) return;
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [location]);
}
