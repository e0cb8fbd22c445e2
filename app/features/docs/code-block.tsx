import { CopyButton } from '#app/ui/copy-button.tsx';
import styles from './docs.module.css';

/** Code with its caption. Long lines scroll, so it takes the focus: a keyboard can scroll it too. */
export function CodeBlock({ caption, code }: { caption: string; code: string }) {
  return (
    <figure className={styles.codeBlock}>
      <figcaption>{caption}</figcaption>
      <CopyButton text={code} />
      <pre tabIndex={0} role="group" aria-label={caption}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
