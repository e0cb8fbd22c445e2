import { CopyButton } from '#app/ui/copy-button.tsx';
import text from '#app/ui/text.module.css';
import styles from './keep-link.module.css';

/** The link of a registration gives full access to it: to its operator, and to anyone else who has it. */
export function KeepLink({ href }: { href: string }) {
  return (
    <div className={styles.keepLink}>
      <p className={text.secondary}>
        You can close this page, but save its link. Anyone who has it can act on your registration,
        so don’t share it.
      </p>
      <CopyButton text={href} label="Copy link" />
    </div>
  );
}
