import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import chips from '#app/ui/chips.module.css';
import { KindIcon } from '#app/ui/kind-icon.tsx';
import { KIND_LABEL } from '#app/ui/kind-shapes.ts';
import { Link } from '#app/ui/link.tsx';
import styles from './node-names.module.css';

/** The active names that are registered for a node. */
export function NodeNames({ id, names }: { id: string; names: RegistryEntry[] }) {
  return (
    <section className={styles.names} aria-label="Names">
      <span className={styles.label} aria-hidden>
        Names
      </span>
      {names.length === 0 ? (
        <p>
          None yet.{' '}
          <Link className={styles.register} to={hrefs.registerNode(id)}>
            Register a name
          </Link>
        </p>
      ) : (
        <ul className={chips.chips}>
          {names.map(({ name, kinds }) => (
            <li key={name}>
              <Link className={`${chips.chip} ${styles.name}`} to={hrefs.name(name)}>
                {kinds.map((kind) => (
                  <KindIcon key={kind} kind={kind} />
                ))}
                <span className="visually-hidden">
                  {kinds.map((kind) => KIND_LABEL[kind]).join(' and ')}{' '}
                </span>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
