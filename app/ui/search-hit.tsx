import type { SearchHit } from '#server/search/search.schema.ts';
import styles from './search-hit.module.css';
import { StateGlyph } from './state-glyph.tsx';

const KINDS = { name: 'Name', node: 'Node', compute: 'Compute offer' };

/** One result of the search across the site: its state, what it is called, and what it is. */
export function SearchHitLine({
  hit: { kind, title, detail, status },
  withKind = true,
}: {
  hit: SearchHit;
  /** False in a list of one kind. */
  withKind?: boolean;
}) {
  const aside = [...(withKind ? [KINDS[kind]] : []), ...(status === null ? [] : [status])];
  return (
    <span className={styles.hit}>
      <span className={styles.icon}>
        {status !== null && status !== 'unknown' && <StateGlyph state={status} />}
      </span>
      <span className={styles.text}>
        <span className={styles.title}>{title}</span>
        {detail !== '' && (kind === 'name' ? <span>{detail}</span> : <code>{detail}</code>)}
      </span>
      <span className={styles.kind}>{aside.join(', ')}</span>
    </span>
  );
}
