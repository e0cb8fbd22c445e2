import { Children, type ReactNode } from 'react';
import { CopyButton } from '#app/ui/copy-button.tsx';
import styles from './section.module.css';

/** A link to a section, in the contents of its page. */
export interface SectionLink {
  id: string;
  title: string;
  /** Shown as code, such as a method and its path. */
  code?: boolean;
}

interface SectionProps {
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

/** Text in which `backticks` mark code, as in OpenAPI documents. Elements within it stay as they are. */
export function Marked({ children }: { children: ReactNode }) {
  // Code may contain a value, so all children are one text, in which a number stands for each element.
  const parts = Children.toArray(children);
  const all = parts.map((part, n) => (typeof part === 'object' ? `\`\0${n}\`` : part)).join('');
  return all.split(/`([^`]+)`/).map((piece, n) => {
    if (n % 2 === 0) return piece;
    return piece.startsWith('\0') ? parts[Number(piece.slice(1))] : <code key={n}>{piece}</code>;
  });
}

interface ParagraphProps {
  as?: 'p' | 'li';
  className?: string | undefined;
  children: ReactNode;
}

/** A paragraph of such text, or an item of a list. */
export const P = ({ as: Tag = 'p', className, children }: ParagraphProps) => (
  <Tag className={className}>
    <Marked>{children}</Marked>
  </Tag>
);

interface CodeBlockProps {
  caption: string;
  code: string;
  /** What runs it. A test runs everything for `sh`, in the order of the pages, as it is printed. */
  language?: 'sh' | 'agent' | 'js' | 'json' | 'html' | 'toml' | 'http' | 'ts';
}

/** Code with its caption. It takes the focus, so that a keyboard can scroll long lines. */
export function CodeBlock({ caption, code, language = 'sh' }: CodeBlockProps) {
  return (
    <figure className={styles.block}>
      <figcaption>{caption}</figcaption>
      <CopyButton text={code} />
      <pre tabIndex={0} role="group" aria-label={caption} data-language={language}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
