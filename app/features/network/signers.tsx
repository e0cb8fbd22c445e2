import type { NetworkSummary } from '#server/network/index.ts';
import { Section } from '#app/ui/section.tsx';
import text from '#app/ui/text.module.css';
import { Tick } from '#app/ui/status-icon.tsx';
import styles from './network-page.module.css';

const ROLES = [
  ['root', 'Root', 'the next root, which says whose keys count.'],
  ['truth', 'Settings', 'the settings, which ban peers.'],
  ['block', 'Log', 'the blocks of the public log.'],
] as const;

/** The keys of each role, and which have signed the current settings. */
export function Signers({ roles }: { roles: NetworkSummary['root']['roles'] }) {
  return (
    <Section title="Keys">
      <p className={text.secondary}>A ticked key has signed the current root or settings.</p>
      <div className={styles.roles}>
        {ROLES.map(([name, title, signs]) => {
          const { keys, threshold } = roles[name];
          return (
            <section key={name} aria-labelledby={`keys-${name}`}>
              <h3 id={`keys-${name}`}>{title}</h3>
              <p className={text.secondary}>
                {keys.length === 1
                  ? 'One key signs'
                  : `${threshold} of ${keys.length} keys have to sign`}{' '}
                {signs}
              </p>
              <ul className={styles.keys}>
                {keys.map(({ key, signed }) => (
                  <li key={key}>
                    {signed && <Tick />}
                    <code>{key}</code>
                    {signed && <span className="visually-hidden">has signed</span>}
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
      </div>
    </Section>
  );
}
