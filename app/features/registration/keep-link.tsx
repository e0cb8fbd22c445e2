import { CopyButton } from '#app/ui/copy-button.tsx';
import text from '#app/ui/text.module.css';
import styles from './keep-link.module.css';

/** The link of a registration is all that its operator needs to come back, and all that anybody else would need. */
export function KeepLink({ href }: { href: string }) {
  return (
    <div className={styles.keepLink}>
      <p className={text.secondary}>
        You can close this page. Keep its link: anyone who has it can act on your registration, so
        don’t share it.
      </p>
      <CopyButton text={href} label="Copy link" />
    </div>
  );
}
