import type { MetaFunction } from '@remix-run/node';
import { useOutletContext } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import type { SectionLink } from './section.tsx';
import { pageMeta } from '#app/lib/page-meta.ts';
import type { Target } from './examples.ts';

/** What the layout needs to know of a documentation page. */
export interface DocsPage {
  path: string;
  title: string;
  intro: string;
  sections: SectionLink[];
}

/** The `handle` of a route: its page, or a function of its data where the page depends on them. */
export type DocsHandle = DocsPage | ((data: unknown) => DocsPage);

/** The settings of this service that the documentation mentions. */
export interface DocsContext extends Target {
  /** Pages of the reference, one for each area of the API. */
  areas: PageLink[];
  /** Whether heartbeats and announcements without a credential are rejected. */
  credentialRequired: boolean;
  /** Coordinates are rounded to multiples of this many degrees. */
  coordinateGrid: number;
  /** A compute offer is listed for this long after its last announcement, milliseconds. */
  computeFreshMs: number;
  /** An unpaid name is reserved for this long, milliseconds. */
  holdMs: number;
  feeUsd: string;
  /** Whether a node’s first signed request pins its id to its key. */
  keysPinnedAtFirstUse: boolean;
  /** Whether a compute offer is listed only once its name is active. */
  listsActivatedOnly: boolean;
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

export const useDocs = () => useOutletContext<DocsContext>();

/** The page of a route's match; undefined where its loader failed. */
export function docsPageOf(handle: unknown, data: unknown): DocsPage | undefined {
  const page = handle as DocsHandle;
  if (typeof page !== 'function') return page;
  return data === undefined ? undefined : page(data);
}

export const docsMeta: MetaFunction = ({ matches }) => {
  const layout = matches.find(({ id }) => id === 'routes/docs')?.data as DocsContext | undefined;
  const match = matches.at(-1);
  const page = docsPageOf(match?.handle, match?.data);
  if (!page) return [{ title: 'Page not found · Mesh Registry' }];
  return pageMeta(page.title, page.intro, layout && `${layout.origin}${page.path}`);
};
