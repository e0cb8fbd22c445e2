import { Outlet, useLoaderData, useLocation, useMatches } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { Page } from '#app/ui/page.tsx';
import { DocsContents } from './docs-contents.tsx';
import styles from './docs-layout.module.css';
import { docsPageOf, docsPages } from './docs-page.ts';
import type { loadDocs } from './docs-pages.server.ts';
import { NextPages } from './next-pages.tsx';

/** The frame of the documentation pages: contents, the text of the current one, and the pages around it. */
export function DocsLayout() {
  const context = useLoaderData<typeof loadDocs>();
  const match = useMatches().at(-1);
  useSectionLinks();
  const page = docsPageOf(match?.handle, match?.data);
  const groups = docsPages(context.areas);
  return (
    <Page title={page?.title} intro={page?.intro}>
      <div className={styles.columns}>
        <DocsContents groups={groups} sections={page?.sections ?? []} />
        <div className={styles.text}>
          <Outlet context={context} />
          <NextPages pages={groups.flatMap(({ pages }) => pages)} current={page?.path} />
        </div>
      </div>
    </Page>
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
