import { CopyButton } from '#app/ui/copy-button.tsx';
import text from '#app/ui/text.module.css';
import styles from './network-page.module.css';

/** A command to copy. It takes the focus, so that a keyboard can scroll long lines. */
export function Command({ label, command }: { label: string; command: string }) {
  return (
    <div className={styles.command}>
      <pre className={text.code} tabIndex={0} role="group" aria-label={label}>
        <code>{command}</code>
      </pre>
      <CopyButton text={command} label="Copy command" />
    </div>
  );
}
