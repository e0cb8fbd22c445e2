import { CopyButton } from '#app/ui/copy-button.tsx';
import text from '#app/ui/text.module.css';
import styles from './panels.module.css';

/** A command to run in a shell, with a button that copies it. */
export function Command({ label, code }: { label: string; code: string }) {
  return (
    <div className={styles.command}>
      <pre className={text.code} tabIndex={0} aria-label={label}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label="Copy command" />
    </div>
  );
}
