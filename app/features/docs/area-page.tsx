import { Link, useLoaderData } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import styles from './area-page.module.css';
import { CodeBlock, Marked, Section } from './section.tsx';
import { Fields } from './definition-list.tsx';
import { useDocs, type DocsPage } from './docs-page.ts';
import type { loadArea } from './docs-pages.server.ts';
import { curl, curlDelete, type Target } from './examples.ts';
import type { Operation, Parameter, ResponseGroup } from './reference.server.ts';
import type { Body } from './schema-fields.ts';
import { TryIt } from './try-it/try-it.tsx';

export function areaDocs(data: unknown): DocsPage {
  const { name, path, description, operations } = (data as ReturnType<typeof loadArea>).area;
  return {
    path,
    title: `${name} API`,
    intro: `${description} Each request with its fields, its errors and examples.`,
    sections: operations.map(({ id, method, path }) => ({
      id,
      title: `${method} ${path}`,
      code: true,
    })),
  };
}

/** The requests of one area of the API. */
export function AreaPage() {
  const { area } = useLoaderData<typeof loadArea>();
  const target = useDocs();
  return area.operations.map((operation) => (
    <OperationSection key={operation.id} operation={operation} target={target} />
  ));
}

/** One method of one path, with examples at its right. */
function OperationSection({ operation, target }: { operation: Operation; target: Target }) {
  const { id, method, path, summary, description, parameters, requests, responses } = operation;
  return (
    <Section id={id} title={summary}>
      <p className={styles.endpoint}>
        <span className={styles.method}>{method}</span> <code>{path}</code>
        {operation.credential && <Link to={hrefs.docs.overview('credential')}>credential</Link>}
        {operation.signed && <Link to={hrefs.docs.identity('requests')}>signed by the node</Link>}
      </p>
      <div className={styles.operation}>
        <div className={styles.text}>
          {description !== null && (
            <p>
              <Marked text={description} />
            </p>
          )}
          {parameters.length > 0 && (
            <>
              <h3 className={styles.part}>Parameters</h3>
              <Fields label={`Parameters of ${method} ${path}`} fields={parameters} of="request" />
            </>
          )}
          {requests.map((body) => (
            <div key={body.name ?? ''}>
              <h3 className={styles.part}>{requests.length > 1 ? `Body: ${body.name}` : 'Body'}</h3>
              <Fields
                label={`Body ${body.name ?? ''} of ${method} ${path}`}
                fields={body.fields}
                of="request"
              />
            </div>
          ))}
          <h3 className={styles.part}>Responses</h3>
          {responses.map((group) => (
            <Responses key={group.responses.map(({ status }) => status).join()} group={group} />
          ))}
          <Errors operation={operation} />
        </div>
        <div className={styles.examples}>
          {method === 'GET' && !operation.signed && <TryIt operation={operation} target={target} />}
          <div className={method === 'GET' ? styles.fixed : undefined}>
            {commands(operation, target).map(({ caption, code }) => (
              <CodeBlock key={caption} caption={caption} code={code} />
            ))}
          </div>
          {responses.flatMap(({ responses: same, bodies }) => {
            const statuses = same.map(({ status }) => status).join(' or ');
            return bodies.map((body) => (
              <CodeBlock
                key={`${statuses} ${body.name}`}
                caption={`Example of ${statuses}${bodies.length > 1 ? `: ${body.name}` : ''}`}
                code={JSON.stringify(body.example, null, 2)}
              />
            ));
          })}
        </div>
      </div>
    </Section>
  );
}

function Responses({ group: { responses, bodies } }: { group: ResponseGroup }) {
  return (
    <div className={styles.responses}>
      {responses.map(({ status, description, headers }) => (
        <p key={status}>
          <strong>{status}</strong> <Marked text={description} />{' '}
          {headers.map(({ name, description }) => (
            <span key={name}>
              Header <code>{name}</code>: {description}{' '}
            </span>
          ))}
        </p>
      ))}
      {bodies.map((body) => (
        <ResponseFields key={body.name ?? ''} body={body} />
      ))}
    </div>
  );
}

function ResponseFields({ body: { name, fields } }: { body: Body }) {
  return (
    <details>
      <summary>
        Fields of <code>{name}</code>
      </summary>
      <Fields label={`Fields of ${name}`} fields={fields} of="response" />
    </details>
  );
}

function Errors({ operation: { errors } }: { operation: Operation }) {
  return (
    <>
      <h3 className={styles.part}>Errors</h3>
      <ul className={styles.errors}>
        {errors.map(({ status, codes }) => (
          <li key={status}>
            <strong>{status}</strong>{' '}
            <span>
              {codes.map((code) => (
                // The browser highlights the target of a link only if it loads the page itself.
                <a key={code} href={hrefs.docs.errors(code)}>
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

/** Commands without parameters, with each parameter, and with each kind of body. */
function commands(
  { method, path, parameters, requests, credential, signed }: Operation,
  target: Target,
): { caption: string; code: string }[] {
  if (signed) return [];
  if (method === 'POST')
    return requests.map(({ name, example }) => ({
      caption: requests.length > 1 ? `${method} ${path}: ${name}` : `${method} ${path}`,
      code: curl(target, path, { body: example, credential }),
    }));
  const url = withExamples(path, parameters);
  if (method === 'DELETE')
    return [{ caption: `${method} ${path}`, code: curlDelete(target, url, credential) }];
  const queries = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ path: name, example }) => `?${name}=${encodeURIComponent(String(example))}`);
  return ['', ...queries].map((query) => ({
    caption: `${method} ${path}${query}`,
    code: curl(target, url + query),
  }));
}

/** A path with the examples of its parameters. */
const withExamples = (path: string, parameters: Parameter[]) =>
  parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((url, { path: name, example }) => url.replace(`{${name}}`, String(example)), path);
