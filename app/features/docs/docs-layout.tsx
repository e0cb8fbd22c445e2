import { NavLink, Outlet, useLoaderData, useLocation, useMatches } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { Page } from '#app/ui/page.tsx';
import styles from './docs-layout.module.css';
import type { DocsContext, DocsPage } from './docs-page.ts';
import type { SectionLink } from './section.tsx';

const PAGES = [
  { to: '/docs', name: 'Reference' },
  { to: '/docs/operators', name: 'Operators' },
  { to: '/docs/status-pages', name: 'Status pages' },
  { to: '/docs/embed', name: 'Embed the map' },
  { to: '/docs/privacy', name: 'Privacy' },
];

/** The frame of the documentation pages: its pages, the contents of the current one, and its text. */
export function DocsLayout() {
  const context = useLoaderData<DocsContext>();
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
 * The browser handles clicks on `#section`, because it also moves the focus. But the router takes such a click
 * for a step back to its first history entry and restores that entry's scroll position, so this scrolls to the
 * section again.
 */
function useSectionLinks(): void {
  const location = useLocation();
  const first = useRef(location);
  useEffect(() => {
    // Entries of the router have a key. After the page has loaded, the browser has scrolled already.
    if (location === first.current || location.key !== 'default' || !location.hash) return;
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [location]);
}
