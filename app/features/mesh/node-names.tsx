import { Link } from '@remix-run/react';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { Kinds } from '#app/ui/kind-icon.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import styles from './node-page.module.css';

export interface NodeNamesProps {
  names: RegistryEntry[];
  /** Takes the whole row; otherwise it is beside the node's location. */
  wide: boolean;
}

/** The active names that are registered for the node. */
export function NodeNames({ names, wide }: NodeNamesProps) {
  return (
    <Panel title="Active names" className={wide ? styles.wide : ''}>
      {names.length === 0 ? (
        <p className={text.secondary}>
          This node has no active name. If it is yours, you can{' '}
          <Link to={hrefs.register()}>register one</Link>.
        </p>
      ) : (
        <ul>
          {names.map(({ name, kinds }) => (
            <li key={name}>
              <Kinds kinds={kinds} />{' '}
              <Link className={styles.name} to={hrefs.name(name)}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
