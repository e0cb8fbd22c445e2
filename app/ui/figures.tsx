import type { ReactNode } from 'react';
import styles from './figures.module.css';

export interface Figure {
  /** What it counts, in a few words. */
  label: string;
  value: ReactNode;
}

/** A few numbers side by side, with hairlines between them. */
export const Figures = ({ figures }: { figures: Figure[] }) => (
  <dl className={styles.figures}>
    {figures.map(({ label, value }) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
