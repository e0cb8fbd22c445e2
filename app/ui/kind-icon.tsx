import type { Kind } from '@mesh-registry/protocol/values.schema.ts';
import styles from './kind-icon.module.css';
import { KIND_LABEL, KIND_PATH } from './kind-shapes.ts';

/** The sign of a kind, or the place of one. Its word is beside it, so screen readers skip the sign. */
export const KindIcon = ({ kind }: { kind: Kind | null }) => (
  <svg className={styles.icon} viewBox="-8 -8 16 16" width="16" height="16" aria-hidden>
    {kind && <path d={KIND_PATH[kind]} />}
  </svg>
);

/** The kinds of a name as signs, with the words for screen readers and on hover. */
export function Kinds({ kinds }: { kinds: readonly Kind[] }) {
  const words = kinds.map((kind) => KIND_LABEL[kind]).join(' and ');
  return (
    <span className={styles.kinds} title={words}>
      {/* Each kind has its place, so that the signs of a list line up. */}
      {Object.keys(KIND_PATH).map((place) => (
        <KindIcon key={place} kind={kinds.find((kind) => kind === place) ?? null} />
      ))}
      <span className="visually-hidden">{words}</span>
    </span>
  );
}
