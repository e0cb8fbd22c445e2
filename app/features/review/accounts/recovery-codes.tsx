import { Link } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import styles from './recovery-codes.module.css';

/** New recovery codes, which are shown once. */
export function RecoveryCodes({ codes, email }: { codes: string[]; email: string }) {
  const lines = codes.join('\n');
  const file = `Mesh Registry: recovery codes for ${email}\nEach can be used once.\n\n${lines}\n`;
  return (
    <Panel title="Your recovery codes" className={styles.panel}>
      <p>
        Store these where you can find them without your phone. Each can be used once, instead of a
        code from the app. They won’t be shown again.
      </p>
      <ul className={`${text.code} ${styles.codes}`}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.buttons}>
        <CopyButton text={lines} />
        <a
          className={button.button}
          download="mesh-registry-recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
        >
          Download
        </a>
        <Link className={button.primary} to={hrefs.review.account()}>
          I’ve stored them
        </Link>
      </div>
    </Panel>
  );
}
