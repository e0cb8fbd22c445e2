import { CopyButton } from '#app/ui/copy-button.tsx';
import text from '#app/ui/text.module.css';
import styles from './panels.module.css';

interface CommandProps {
  label: string;
  code: string;
  /** Where there is another button that copies something. */
  copyLabel?: string;
}

/** A command to run in a shell, or another text to copy, with a button that does. */
export function Command({ label, code, copyLabel = 'Copy' }: CommandProps) {
  return (
    <div className={styles.command}>
      <pre className={text.code} tabIndex={0} aria-label={label}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={copyLabel} />
    </div>
  );
}
