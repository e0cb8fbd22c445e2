import type { MetaFunction } from '@remix-run/node';
import {
  Link,
  Outlet,
  useLoaderData,
  useLocation,
  useMatches,
  useOutletContext,
} from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { pageTitle } from '#app/lib/network.tsx';
import { pageMeta } from '#app/lib/page-meta.ts';
import { Page } from '#app/ui/page.tsx';
import { DocsContents } from './docs-contents.tsx';
import styles from './docs-layout.module.css';
import { docsPageOf, docsPages, type PageLink } from './docs-page.ts';
import type { loadDocs } from './docs-pages.server.ts';

type DocsContext = ReturnType<typeof loadDocs>;

/** The settings of this service that the documentation mentions. */
export const useDocs = () => useOutletContext<DocsContext>();

/** The `meta` of every documentation page. */
export const docsMeta: MetaFunction = ({ matches }) => {
  const layout = matches.find(({ id }) => id === 'routes/docs')?.data as DocsContext | undefined;
  const match = matches.at(-1);
  const page = docsPageOf(match?.handle, match?.data);
  if (!page) return [{ title: pageTitle('Page not found') }];
  return pageMeta(page.title, page.intro, layout && `${layout.origin}${page.path}`);
};

/** The frame of the documentation pages: contents, the text of the current one, and the pages around it. */
export function DocsLayout() {
  const context = useLoaderData<typeof loadDocs>();
  const match = useMatches().at(-1);
  useSectionLinks();
  const page = docsPageOf(match?.handle, match?.data);
  if (page?.layout === 'home')
    return (
      <Page title={page.title} intro={page.intro}>
        <Outlet context={context} />
      </Page>
    );
  const groups = docsPages(context.areas);
  const wide = page?.layout === 'wide';
  return (
    <Page>
      <div className={`${styles.columns} ${wide ? styles.wide : ''}`}>
        <DocsContents groups={groups} sections={page?.sections ?? []} wide={wide} />
        <div className={styles.text}>
          <header>
            <h1>{page?.title}</h1>
            <p>{page?.intro}</p>
          </header>
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

/** Links to the pages before and after the current one. */
function NextPages({ pages, current }: { pages: PageLink[]; current: string | undefined }) {
  // Chapters of a page are no pages of their own.
  const whole = pages.filter(({ to }) => !to.includes('#'));
  const at = whole.findIndex(({ to }) => to === current);
  if (at < 0) return null;
  const [previous, next] = [whole[at - 1], whole[at + 1]];
  return (
    <nav aria-label="Previous and next page" className={styles.links}>
      {previous && (
        <Link to={previous.to} rel="prev">
          <span>Previous</span> {previous.name}
        </Link>
      )}
      {next && (
        <Link to={next.to} rel="next" className={styles.next}>
          <span>Next</span> {next.name}
        </Link>
      )}
    </nav>
  );
}
