import { useId, type ReactNode } from 'react';
import styles from './section.module.css';

export interface SectionProps {
  title: ReactNode;
  /** At the right of the heading: a figure, a sentence or a link. */
  aside?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

/** A part of a page: a hairline, its heading, and what it is about. */
export function Section({ title, aside, className = '', children }: SectionProps) {
  const id = useId();
  return (
    <section className={`${styles.section} ${className}`} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <div className={styles.aside}>{aside}</div>}
      </div>
      {children}
    </section>
  );
}
