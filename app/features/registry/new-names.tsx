import { Link } from '@remix-run/react';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import { Kinds } from '#app/ui/kind-icon.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { RelativeTime } from '#app/ui/relative-time.tsx';
import text from '#app/ui/text.module.css';
import styles from './new-names.module.css';

/** From how many names on the newest ones are shown apart: below that, the list itself is short. */
const FROM = 6;

/** The names that were activated last, newest first. */
export function NewNames({ names }: { names: RegistryEntry[] }) {
  if (names.length < FROM) return null;
  return (
    <Panel title="New names" className={styles.panel}>
      <ul className={styles.names}>
        {names.map(({ name, kinds, activatedAt }) => (
          <li key={name}>
            <Kinds kinds={kinds} />
            <Link to={`/registry/${name}`}>{name}</Link>
            <span className={text.secondary}>
              <RelativeTime at={activatedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
