import type { Field } from './schema-fields.ts';
import { Marked } from './section.tsx';
import styles from './docs.module.css';

/** Fields of a request or an answer: what is not the usual case is said, required in a request, optional in an answer. */
export function Fields({
  label,
  fields,
  of,
}: {
  label: string;
  fields: (Field & { in?: string })[];
  of: 'request' | 'answer';
}) {
  return (
    <dl className={styles.fields} aria-label={label}>
      {fields.map((field) => (
        <div key={`${field.in ?? ''} ${field.path}`}>
          <dt>
            <FieldName path={field.path} />
            {field.required === (of === 'request') && (
              <span className={styles.fieldNeed}>{field.required ? 'required' : 'optional'}</span>
            )}
          </dt>
          <dd>
            <p className={styles.fieldType}>
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

/** `computes[].name`: where it stands is said more quietly than what it is called, and may be broken into lines. */
function FieldName({ path }: { path: string }) {
  const steps = path.split(/(?<=\.)/);
  const name = steps.pop();
  return (
    <code>
      {steps.map((step, at) => (
        <span key={at} className={styles.fieldPath}>
          {step}
          <wbr />
        </span>
      ))}
      {name}
    </code>
  );
}
