import type { ReactNode } from 'react';
import text from '#app/ui/text.module.css';
import styles from './definition-list.module.css';
import { Marked, P } from './section.tsx';
import type { Field } from './schema-fields.ts';

interface DefinitionProps {
  term: ReactNode;
  /** Marked text. */
  meaning: string;
  /** Makes it a target of links. */
  id?: string;
  /** Marked text below the meaning. */
  note?: string;
}

const Definition = ({ term, meaning, id, note }: DefinitionProps) => (
  <div id={id}>
    <dt>{term}</dt>
    <dd>
      <P>{meaning}</P>
      {note && <P className={text.secondary}>{note}</P>}
    </dd>
  </div>
);

interface DefinitionListProps {
  items: Record<string, string>;
  /** Whether the terms are values of a field. */
  code?: boolean;
}

/** Terms and what they mean, both in the marked text of {@link Marked}. */
export const DefinitionList = ({ items, code }: DefinitionListProps) => (
  <dl className={styles.list}>
    {Object.entries(items).map(([term, meaning]) => (
      <Definition
        key={term}
        term={code ? <code>{term}</code> : <Marked>{term}</Marked>}
        meaning={meaning}
      />
    ))}
  </dl>
);

interface ErrorListProps {
  errors: ({ code: string; status: string | number } & Omit<DefinitionProps, 'term'>)[];
}

/** Error codes with their status, and what they mean. */
export const ErrorList = ({ errors }: ErrorListProps) => (
  <dl className={styles.list}>
    {errors.map(({ code, status, ...error }) => (
      <Definition
        key={code}
        term={
          <>
            <strong>{status}</strong> <code>{code}</code>
          </>
        }
        {...error}
      />
    ))}
  </dl>
);

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
            <P className={text.secondary}>
              {[field.type, field.in && `in ${field.in}`, ...field.rules]
                .filter(Boolean)
                .join(', ')}
            </P>
            {field.description !== null && <P>{field.description}</P>}
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
