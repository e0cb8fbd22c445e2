import text from '#app/ui/text.module.css';
import list from './definition-list.module.css';
import styles from './fields.module.css';
import { Marked } from './marked.tsx';
import type { Field } from './schema-fields.ts';

export interface FieldsProps {
  label: string;
  /** `in` of a parameter: where in the request it goes. */
  fields: (Field & { in?: string })[];
  of: 'request' | 'response';
}

/** Fields of a request or response, marked if they are required in a request or optional in a response. */
export function Fields({ label, fields, of }: FieldsProps) {
  return (
    <dl className={list.list} aria-label={label}>
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
