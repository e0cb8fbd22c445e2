import { CopyIcon, DoneIcon } from '#app/ui/icons.tsx';
import { byHand, useCopying } from './copying.ts';
import styles from './copy-rows.module.css';

interface CopyRow {
  /** What it is, as its label says: "Note, exactly". */
  label: string;
  /** The same within a sentence: "Note copied". */
  name: string;
  value: string;
  mono?: boolean;
}

/** Short texts to copy by a tap anywhere in their row. Without scripts a tap selects one. */
export const CopyRows = ({ rows }: { rows: CopyRow[] }) => (
  <dl className={styles.rows}>
    {rows.map((row) => (
      <Row key={row.name} {...row} />
    ))}
  </dl>
);

function Row({ label, name, value, mono = false }: CopyRow) {
  const { target, copied, copy } = useCopying<HTMLSpanElement>(value);
  return (
    <div className={`${styles.row} ${copied === 'copied' ? styles.copied : ''}`}>
      <dt>{label}</dt>
      <dd className={mono ? styles.mono : undefined}>
        <span ref={target} className={styles.value}>
          {value}
        </span>
        <button type="button" className={`${styles.copy} needs-scripts`} onClick={copy}>
          {copied === 'copied' ? <DoneIcon /> : <CopyIcon />}
          {copied === null ? 'Copy' : copied === 'copied' ? 'Copied' : byHand()}
          <span className="visually-hidden"> {name.toLowerCase()}</span>
        </button>
        <span className="visually-hidden" role="status">
          {copied === 'copied' && `${name} copied`}
        </span>
      </dd>
    </div>
  );
}
