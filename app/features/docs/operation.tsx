import { curl, type Target } from './examples.ts';
import type { AnswerGroup, Operation } from './reference.server.ts';
import type { Body } from './schema-fields.ts';
import { CodeBlock } from './code-block.tsx';
import { Fields } from './fields.tsx';
import { Marked, Section } from './section.tsx';
import styles from './docs.module.css';

/** One method of one path: what it takes and gives on the left, the same as examples on the right. */
export function OperationSection({ operation, target }: { operation: Operation; target: Target }) {
  const { id, method, path, summary, description, parameters, requests, answers } = operation;
  return (
    <Section id={id} title={summary} level={3}>
      <p className={styles.endpoint}>
        <span className={styles.method}>{method}</span> <code>{path}</code>
        {operation.credential && <a href="#credential">credential</a>}
      </p>
      <div className={styles.operation}>
        <div className={styles.operationText}>
          {description !== null && (
            <p>
              <Marked text={description} />
            </p>
          )}
          {parameters.length > 0 && (
            <>
              <h4>Parameters</h4>
              <Fields label={`Parameters of ${method} ${path}`} fields={parameters} of="request" />
            </>
          )}
          {requests.map((body) => (
            <div key={body.name ?? ''}>
              <h4>{requests.length > 1 ? `Body: ${body.name}` : 'Body'}</h4>
              <Fields
                label={`Body ${body.name ?? ''} of ${method} ${path}`}
                fields={body.fields}
                of="request"
              />
            </div>
          ))}
          <h4>Answers</h4>
          {answers.map((group) => (
            <Answers key={group.answers.map(({ status }) => status).join()} group={group} />
          ))}
          <Refusals operation={operation} />
        </div>
        <div className={styles.operationExamples}>
          {commands(operation, target).map(({ caption, code }) => (
            <CodeBlock key={caption} caption={caption} code={code} />
          ))}
          {answers.flatMap(({ answers, bodies }) => {
            const statuses = answers.map(({ status }) => status).join(' or ');
            return bodies.map((body) => (
              <CodeBlock
                key={`${statuses} ${body.name}`}
                caption={`Answer ${statuses}${bodies.length > 1 ? `: ${body.name}` : ''}`}
                code={JSON.stringify(body.example, null, 2)}
              />
            ));
          })}
        </div>
      </div>
    </Section>
  );
}

function Answers({ group: { answers, bodies } }: { group: AnswerGroup }) {
  return (
    <div className={styles.answers}>
      {answers.map(({ status, description, headers }) => (
        <p key={status}>
          <span className={styles.httpStatus}>{status}</span> <Marked text={description} />{' '}
          {headers.map(({ name, description }) => (
            <span key={name}>
              Header <code>{name}</code>: {description}{' '}
            </span>
          ))}
        </p>
      ))}
      {bodies.map((body) => (
        <AnswerFields key={body.name ?? ''} body={body} />
      ))}
    </div>
  );
}

function AnswerFields({ body: { name, fields } }: { body: Body }) {
  return (
    <details>
      <summary>
        Fields of <code>{name}</code>
      </summary>
      <Fields label={`Fields of ${name}`} fields={fields} of="answer" />
    </details>
  );
}

function Refusals({ operation: { refusals } }: { operation: Operation }) {
  return (
    <>
      <h4>Refusals</h4>
      <ul className={styles.refusals}>
        {refusals.map(({ status, codes }) => (
          <li key={status}>
            <span className={styles.httpStatus}>{status}</span>{' '}
            <span>
              {codes.map((code) => (
                <a key={code} href={`#error-${code}`}>
                  <code>{code}</code>
                </a>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** One command per way to ask: without a parameter, with each one of them, with each kind of body. */
function commands(
  { method, path, parameters, requests, credential }: Operation,
  target: Target,
): { caption: string; code: string }[] {
  if (method === 'POST')
    return requests.map(({ name, example }) => ({
      caption: requests.length > 1 ? `${method} ${path}: ${name}` : `${method} ${path}`,
      code: curl(target, path, { body: example, credential }),
    }));
  const queries = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ path: name, example }) => `?${name}=${encodeURIComponent(String(example))}`);
  return ['', ...queries].map((query) => ({
    caption: `${method} ${path}${query}`,
    code: curl(target, path + query),
  }));
}
