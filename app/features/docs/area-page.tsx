import { Link, useLoaderData } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import { SecretNote } from '#app/ui/secret-note.tsx';
import styles from './area-page.module.css';
import { CodeBlock, Marked, P, Section } from './section.tsx';
import { Fields } from './definition-list.tsx';
import { useDocs } from './docs-layout.tsx';
import type { DocsPage } from './docs-page.ts';
import type { loadArea } from './docs-pages.server.ts';
import { curl, curlDelete, type Target } from './curl.ts';
import type { Operation, Parameter, ResponseGroup } from './reference.server.ts';
import { TryIt } from './try-it/try-it.tsx';

export function areaDocs(data: unknown): DocsPage {
  const { name, path, description, operations } = (data as ReturnType<typeof loadArea>).area;
  return {
    path,
    title: `${name} API`,
    layout: 'wide',
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
  return area.operations.map((operation) => (
    <OperationSection key={operation.id} operation={operation} />
  ));
}

/** One method of one path, with examples at its right. */
function OperationSection({ operation }: { operation: Operation }) {
  const { id, method, path, summary, description, parameters, requests, responses } = operation;
  const target = useDocs();
  return (
    <Section id={id} title={summary}>
      <p className={styles.endpoint}>
        <span className={styles.method}>{method}</span> <code>{path}</code>
        {operation.credential && <Link to={hrefs.docs.rest('credential')}>credential</Link>}
        {operation.signed && <Link to={hrefs.docs.identity('requests')}>signed by the node</Link>}
      </p>
      <div className={styles.operation}>
        <div className={styles.text}>
          {description !== null && <P>{description}</P>}
          {parameters.length > 0 && (
            <>
              <h3 className={styles.part}>Parameters</h3>
              <Fields label={`Parameters of ${method} ${path}`} fields={parameters} of="request" />
            </>
          )}
          {requests.map(({ name, fields }) => (
            <div key={name}>
              <h3 className={styles.part}>{requests.length > 1 ? `Body: ${name}` : 'Body'}</h3>
              <Fields
                label={`Body ${name ?? ''} of ${method} ${path}`}
                fields={fields}
                of="request"
              />
            </div>
          ))}
          <h3 className={styles.part}>Responses</h3>
          {responses.map((group) => (
            <Responses key={statusesOf(group)} group={group} />
          ))}
          <h3 className={styles.part}>Errors</h3>
          <ul className={styles.errors}>
            {operation.errors.map(({ status, codes }) => (
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
        </div>
        <div className={styles.examples}>
          {method === 'GET' && !operation.signed && <TryIt operation={operation} target={target} />}
          <div className={method === 'GET' ? styles.fixed : undefined}>
            {operation.credential && <SecretNote />}
            {commands(operation, target).map(({ caption, code }) => (
              <CodeBlock key={caption} caption={caption} code={code} />
            ))}
          </div>
          {responses.flatMap((group) =>
            group.bodies.map(({ name, example }) => (
              <CodeBlock
                key={`${statusesOf(group)} ${name}`}
                caption={`Example of ${statusesOf(group)}${group.bodies.length > 1 ? `: ${name}` : ''}`}
                language="json"
                code={JSON.stringify(example, null, 2)}
              />
            )),
          )}
        </div>
      </div>
    </Section>
  );
}

const statusesOf = ({ responses }: ResponseGroup) =>
  responses.map(({ status }) => status).join(' or ');

function Responses({ group: { responses, bodies } }: { group: ResponseGroup }) {
  return (
    <div className={styles.responses}>
      {responses.map(({ status, description, headers }) => (
        <p key={status}>
          <strong>{status}</strong> <Marked>{description}</Marked>{' '}
          {headers.map(({ name, description }) => (
            <span key={name}>
              Header <code>{name}</code>: {description}{' '}
            </span>
          ))}
        </p>
      ))}
      {bodies.map(({ name, fields }) => (
        <details key={name}>
          <summary>
            Fields of <code>{name}</code>
          </summary>
          <Fields label={`Fields of ${name}`} fields={fields} of="response" />
        </details>
      ))}
    </div>
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
      code: withOwnId(curl(target, path, { body: example, credential })),
    }));
  const url = withExamples(path, parameters);
  if (method === 'DELETE')
    return [{ caption: `${method} ${path}`, code: curlDelete(target, url, credential) }];
  const queries = parameters
    // No history has a step at the moment of an example.
    .filter(({ in: place, example }) => place === 'query' && !isMoment(String(example)))
    .map(({ path: name, example }) => `?${name}=${encodeURIComponent(String(example))}`);
  return ['', ...queries].map((query) => ({
    caption: `${method} ${path}${query}`,
    code: withOwnId(curl(target, url + query)),
  }));
}

const isMoment = (example: string) => /^\d{4}-\d\d-\d\dT/.test(example);

/** A command about the reader’s own registration, and a question about it: nobody has those of the example. */
function withOwnId(command: string): string {
  const own = command.replaceAll(/"reg_\w+"/g, `"'$ID'"`).replaceAll(/=reg_\w+/g, '=$ID');
  if (own === command) return command;
  const asked = own.replaceAll(/"q_\w+"/g, `"'$QUESTION'"`);
  const says = [
    '# ID: the id in the response to the start of your registration.',
    ...(asked === own ? [] : ['# QUESTION: the id of one of its questions, which ?id= shows.']),
  ];
  return [...says, asked].join('\n');
}

/** A path with the examples of its parameters. */
const withExamples = (path: string, parameters: Parameter[]) =>
  parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((url, { path: name, example }) => url.replace(`{${name}}`, String(example)), path);
