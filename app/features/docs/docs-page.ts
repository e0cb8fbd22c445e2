import type { MetaDescriptor } from '@remix-run/node';
import { useOutletContext } from '@remix-run/react';
import type { SectionLink } from './section.tsx';
import { pageMeta } from '#app/lib/page-meta.ts';
import type { Target } from './examples.ts';

/** What the layout needs to know of a documentation page: the `handle` of its route. */
export interface DocsPage {
  path: string;
  title: string;
  intro: string;
  /** Sections of the page. Those of the reference depend on its data. */
  sections: SectionLink[] | ((data: unknown) => SectionLink[]);
}

/** The settings of this service that the guides mention. */
export interface DocsContext extends Target {
  /** Whether heartbeats and announcements without a credential are rejected. */
  credentialRequired: boolean;
  /** Degrees. */
  coordinateGrid: number;
  /** Milliseconds. */
  computeFreshMs: number;
  holdMs: number;
  feeUsd: string;
  /** Whether a compute offer is listed only once its name is active. */
  listsActivatedOnly: boolean;
}

export const useDocs = () => useOutletContext<DocsContext>();

export const docsMeta = (
  { path, title, intro }: DocsPage,
  matches: { id: string; data: unknown }[],
): MetaDescriptor[] => {
  const layout = matches.find(({ id }) => id === 'routes/docs')?.data as DocsContext | undefined;
  return pageMeta(title, intro, layout && `${layout.origin}${path}`);
};
