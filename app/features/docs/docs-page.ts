import * as hrefs from '#app/lib/hrefs.ts';
import type { SectionLink } from './section.tsx';

/** What the layout needs to know of a documentation page. */
export interface DocsPage {
  path: string;
  title: string;
  intro: string;
  sections: SectionLink[];
}

export interface PageLink {
  to: string;
  name: string;
}

/** The pages of the documentation in reading order, by their group. */
export const docsPages = (areas: PageLink[]): { group: string; pages: PageLink[] }[] => [
  {
    group: 'REST API',
    pages: [
      { to: hrefs.docs.overview(), name: 'Overview' },
      ...areas,
      { to: hrefs.docs.errors(), name: 'Errors' },
    ],
  },
  {
    group: 'Guides',
    pages: [
      { to: hrefs.docs.operators(), name: 'Operators' },
      { to: hrefs.docs.identity(), name: 'Identity of a node' },
      { to: hrefs.docs.statusPages(), name: 'Status pages' },
      { to: hrefs.docs.embed(), name: 'Embed the map' },
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
