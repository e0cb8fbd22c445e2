import type { ReactNode } from 'react';
import text from '#app/ui/text.module.css';
import styles from './definition-list.module.css';
import { Marked } from './marked.tsx';

export interface Definition {
  key: string;
  term: ReactNode;
  /** Marked text. */
  meaning: string;
  /** Makes the definition a target of links. */
  id?: string;
  /** Marked text below the meaning. */
  note?: string | false;
}

/** Terms and what they mean, in the marked text of {@link Marked}. */
export function DefinitionList({ items }: { items: Definition[] }) {
  return (
    <dl className={styles.list}>
      {items.map(({ key, term, meaning, id, note }) => (
        <div key={key} id={id}>
          <dt>{term}</dt>
          <dd>
            <p>
              <Marked text={meaning} />
            </p>
            {note && (
              <p className={text.secondary}>
                <Marked text={note} />
              </p>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Items whose terms are values of a field. */
export const codeItems = (items: readonly (readonly [term: string, meaning: string])[]) =>
  items.map(([term, meaning]) => ({ key: term, term: <code>{term}</code>, meaning }));

/** Items whose terms are marked text. */
export const markedItems = (items: readonly (readonly [term: string, meaning: string])[]) =>
  items.map(([term, meaning]) => ({ key: term, term: <Marked text={term} />, meaning }));
