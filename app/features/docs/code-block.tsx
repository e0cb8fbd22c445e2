import { CopyButton } from '#app/ui/copy-button.tsx';
import styles from './code-block.module.css';

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
