import type { ReactNode } from 'react';

/** A term of a definition list (facts.module.css) and its value. */
export const Fact = ({ term, children }: { term: string; children: ReactNode }) => (
  <>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </>
);
