import { Fragment, type ReactNode } from 'react';
import { CopyButton } from '#app/ui/copy-button.tsx';
import styles from './section.module.css';

/** A link to a section, in the contents of its page. */
export interface SectionLink {
  id: string;
  title: string;
  /** Shown as code, such as a method and its path. */
  code?: boolean;
}

export interface SectionProps {
  id: string;
  title: string;
  children: ReactNode;
}

/** A section of a page, whose heading has a link to it. */
export function Section({ id, title, children }: SectionProps) {
  return (
    <section id={id} className={styles.section} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title}{' '}
        <a href={`#${id}`} className={styles.anchor} aria-label={`Link to “${title}”`}>
          #
        </a>
      </h2>
      {children}
    </section>
  );
}

/** Text in which `backticks` mark code, as in OpenAPI documents. */
export function Marked({ text }: { text: string }) {
  return text
    .split(/`([^`]+)`/)
    .map((part, at) =>
      at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>,
    );
}

/** Code with its caption. It takes the focus, so that a keyboard can scroll long lines. */
export function CodeBlock({ caption, code }: { caption: string; code: string }) {
  return (
    <figure className={styles.block}>
      <figcaption>{caption}</figcaption>
      <CopyButton text={code} />
      <pre tabIndex={0} role="group" aria-label={caption}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
