import { Fragment, type ReactNode } from 'react';
import styles from './docs.module.css';

/** A part of a documentation page that can be linked to. */
export interface SectionLink {
  id: string;
  title: string;
  /** In the typeface of code: a method and its path. */
  code?: boolean;
  below?: SectionLink[];
}

export function Section({
  id,
  title,
  level = 2,
  children,
}: {
  id: string;
  title: string;
  level?: 2 | 3;
  children: ReactNode;
}) {
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

/** Text in which `backticks` mark code, as OpenAPI documents have it. */
export function Marked({ text }: { text: string }) {
  return text
    .split(/`([^`]+)`/)
    .map((part, at) =>
      at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>,
    );
}
