import type { ReactNode } from 'react';
import styles from './fact-list.module.css';

export interface Fact {
  term: string;
  value: ReactNode;
}

interface FactListProps {
  /** A fact that is null is left out. */
  facts: (Fact | null)[];
  /** Where there is room, a sentence is read from the left: the values begin at one edge. */
  wide?: boolean;
}

/** Terms and their values, in rows: the values at the right. */
export const FactList = ({ facts, wide = false }: FactListProps) => (
  <dl className={`${styles.facts} ${wide ? styles.wide : ''}`}>
    {facts.map(
      (fact) =>
        fact && (
          <div key={fact.term}>
            <dt>{fact.term}</dt>
            <dd>{fact.value}</dd>
          </div>
        ),
    )}
  </dl>
);
