import * as hrefs from '#app/lib/hrefs.ts';
import type { SectionLink } from './section.tsx';

/** What the layout needs to know of a documentation page. */
export interface DocsPage {
  path: string;
  title: string;
  intro: string;
  sections: SectionLink[];
  /** The home, over the whole width; or a page with examples beside its text, whose contents stand below the pages. */
  layout?: 'home' | 'wide';
}

export interface PageLink {
  to: string;
  name: string;
}

/** The pages of the documentation in reading order, by their group. The guide for operators has a link for each chapter. */
export const docsPages = (areas: PageLink[]): { group: string; pages: PageLink[] }[] => [
  {
    group: 'Run a node',
    pages: [
      { to: hrefs.docs.operators(), name: 'On the map' },
      { to: hrefs.docs.operators('systemd'), name: 'Keep it online' },
      { to: hrefs.docs.operators('announce'), name: 'Announce offers' },
      { to: hrefs.docs.operators('register'), name: 'Register a name' },
      { to: hrefs.docs.operators('peer'), name: 'Join other nodes' },
      { to: hrefs.docs.operators('leave'), name: 'Leave' },
    ],
  },
  {
    group: 'Read the API',
    pages: [
      { to: hrefs.docs.statusPages(), name: 'Status pages' },
      { to: hrefs.docs.rest(), name: 'REST' },
      ...areas,
      { to: hrefs.docs.trpc(), name: 'tRPC client' },
      { to: hrefs.docs.errors(), name: 'Errors' },
    ],
  },
  { group: 'Embed', pages: [{ to: hrefs.docs.embed(), name: 'Map and badges' }] },
  {
    group: 'About',
    pages: [
      { to: hrefs.docs.identity(), name: 'Node identity' },
      { to: hrefs.docs.privacy(), name: 'Privacy' },
    ],
  },
];

/**
 * The page of a route's match. Its `handle` is the page, or a function of its data where the page depends on them.
 * @returns undefined where its loader failed
 */
export function docsPageOf(handle: unknown, data: unknown): DocsPage | undefined {
  const page = handle as DocsPage | ((data: unknown) => DocsPage) | undefined;
  if (typeof page !== 'function') return page;
  return data === undefined ? undefined : page(data);
}
