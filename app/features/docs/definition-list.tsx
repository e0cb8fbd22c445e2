import type { ReactNode } from 'react';
import styles from './docs.module.css';
import { Marked } from './section.tsx';

/** Terms and what they mean, in the marked text of {@link Marked}. */
export function DefinitionList({
  items,
}: {
  items: { key: string; term: ReactNode; meaning: string }[];
}) {
  return (
    <dl className={styles.fields}>
      {items.map(({ key, term, meaning }) => (
        <div key={key}>
          <dt>{term}</dt>
          <dd>
            <Marked text={meaning} />
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
