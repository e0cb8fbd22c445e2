import type { MetaDescriptor } from '@remix-run/node';
import { useOutletContext } from '@remix-run/react';
import type { SectionLink } from './section.tsx';
import { pageMeta } from '#app/lib/page-meta.ts';
import type { Target } from './examples.ts';

/** What each documentation page tells the layout around it (its route's `handle`). */
export interface DocsPage {
  path: string;
  title: string;
  intro: string;
  /** Its sections; those of the reference come with its data. */
  sections: SectionLink[] | ((data: unknown) => SectionLink[]);
}

/** What the guides say of this very service. */
export interface DocsContext extends Target {
  /** Whether nodes' POSTs are refused without a credential. */
  credentialRequired: boolean;
  /** Degrees. */
  coordinateGrid: number;
  /** Milliseconds. */
  computeFreshMs: number;
  holdMs: number;
  feeUsd: string;
  /** Whether a compute is listed only once its name is active. */
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
