import type { Kind } from '@mesh-registry/protocol/values.schema.ts';
import styles from './kind-icon.module.css';
import { KIND_PATH } from './kind-shapes.ts';

/** The sign of a kind, or the place of one. Its word is beside it, so screen readers skip the sign. */
export const KindIcon = ({ kind }: { kind: Kind | null }) => (
  <svg className={styles.icon} viewBox="-8 -8 16 16" width="16" height="16" aria-hidden>
    {kind && <path d={KIND_PATH[kind]} />}
  </svg>
);
