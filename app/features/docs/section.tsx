import type { ReactNode } from 'react';
import styles from './section.module.css';

/** A link to a section, in the contents of its page. */
export interface SectionLink {
  id: string;
  title: string;
  /** Shown as code, such as a method and its path. */
  code?: boolean;
  below?: SectionLink[];
}

export interface SectionProps {
  id: string;
  title: string;
  level?: 2 | 3;
  children: ReactNode;
}

/** A section of a page, whose heading has a link to it. */
export function Section({ id, title, level = 2, children }: SectionProps) {
  const Heading = `h${level}` as const;
  return (
    <section
      id={id}
      className={`${styles.section} ${level === 2 ? styles.level2 : styles.level3}`}
      aria-labelledby={`${id}-title`}
    >
      <Heading id={`${id}-title`}>
        {title}{' '}
        <a href={`#${id}`} className={styles.anchor} aria-label={`Link to “${title}”`}>
          #
        </a>
      </Heading>
      {children}
    </section>
  );
}
