import styles from './command.module.css';
import { CopyButton } from './copy-button.tsx';
import text from './text.module.css';

interface CommandProps {
  /** What it is, for people who can't see it. */
  label: string;
  code: string;
  /** What its button says. A page with several buttons that copy names what each copies. */
  copyLabel?: string;
  /** Breaks long lines, so that all of it is in view; otherwise it scrolls. */
  wrapped?: boolean;
}

/**
 * A command to run in a shell, or another text to copy, with a button that does. It takes the focus, so that a
 * keyboard can scroll long lines.
 */
export function Command({ label, code, copyLabel = 'Copy', wrapped = false }: CommandProps) {
  return (
    <div className={`${styles.command} ${wrapped ? styles.wrapped : ''}`}>
      <pre className={text.code} tabIndex={0} role="group" aria-label={label}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={copyLabel} />
    </div>
  );
}
