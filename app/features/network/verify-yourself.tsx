import type { NetworkSummary } from '#server/network/index.ts';
import { Command } from '#app/ui/command.tsx';
import { Section } from '#app/ui/section.tsx';
import text from '#app/ui/text.module.css';
import styles from './network-page.module.css';

interface VerifyYourselfProps {
  network: NetworkSummary;
  /** Scheme and host of this service. */
  origin: string;
  hasLog: boolean;
}

/** The commands that check without believing this service. */
export function VerifyYourself({ network: { firstRoot }, origin, hasLog }: VerifyYourselfProps) {
  return (
    <Section title="Check it yourself" className={styles.paragraphs}>
      <p>
        Don’t rely on this page: get root {firstRoot.version} from an operator whom you trust, as{' '}
        <code>root.json</code>. Or compare its fingerprint with theirs:
      </p>
      <p>
        <code className={styles.fingerprint}>{firstRoot.fingerprint}</code>
      </p>
      <Command
        label="Check the signed settings"
        copyLabel="Copy command"
        code={`curl -s ${origin}/api/truth > truth.json\nmesh-agent truth verify truth.json --trust root.json`}
      />
      <p className={text.secondary}>
        Each line is OK, WARN or FAIL. It exits with 0 if a peer that trusts your root would accept
        this network. <code>mesh-agent truth show truth.json</code> prints the fingerprint and
        everything on this page.
      </p>
      {hasLog && (
        <>
          <Command label="Check the log" copyLabel="Copy command" code="mesh-agent log verify" />
          <p className={text.secondary}>
            Where <code>mesh-agent peer</code> runs, this checks every block of its copy of the
            public log against the keys and the checkpoint. A history that was rewritten raises an
            alarm in every peer that has the earlier blocks.
          </p>
        </>
      )}
    </Section>
  );
}
