import type { ReactNode } from 'react';
import text from '#app/ui/text.module.css';
import styles from './definition-list.module.css';
import { Marked } from './section.tsx';
import type { Field } from './schema-fields.ts';

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

interface FieldsProps {
  label: string;
  /** `in` of a parameter: where in the request it goes. */
  fields: (Field & { in?: string })[];
  of: 'request' | 'response';
}

/** Fields of a request or response, marked if they are required in a request or optional in a response. */
export function Fields({ label, fields, of }: FieldsProps) {
  return (
    <dl className={styles.list} aria-label={label}>
      {fields.map((field) => (
        <div key={`${field.in ?? ''} ${field.path}`}>
          <dt>
            <FieldName path={field.path} />
            {field.required === (of === 'request') && (
              <span className={styles.need}>{field.required ? 'required' : 'optional'}</span>
            )}
          </dt>
          <dd>
            <p className={text.secondary}>
              <Marked
                text={[field.type, field.in && `in ${field.in}`, ...field.rules]
                  .filter(Boolean)
                  .join(', ')}
              />
            </p>
            {field.description !== null && (
              <p>
                <Marked text={field.description} />
              </p>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** `computes[].name`: the objects around the field are less prominent than its name, and lines can break between them. */
function FieldName({ path }: { path: string }) {
  const parents = path.split(/(?<=\.)/);
  const name = parents.pop();
  return (
    <code>
      {parents.map((parent, index) => (
        <span key={index} className={styles.parent}>
          {parent}
          <wbr />
        </span>
      ))}
      {name}
    </code>
  );
}
