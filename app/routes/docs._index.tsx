import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { CodeBlock } from '#app/features/docs/code-block.tsx';
import { Fields } from '#app/features/docs/fields.tsx';
import { OperationSection } from '#app/features/docs/operation.tsx';
import { Marked, Section, type SectionLink } from '#app/features/docs/section.tsx';
import { docsMeta, useDocs, type DocsPage } from '#app/features/docs/page.ts';
import { referenceOf, type ErrorRow, type Reference } from '#app/features/docs/reference.server.ts';
import facts from '#app/ui/facts.module.css';
import styles from '#app/features/docs/docs.module.css';

export const handle: DocsPage = {
  path: '/docs',
  title: 'REST reference',
  intro:
    'Every path, drawn from the OpenAPI document, which is made of the schemas that parse the requests.',
  sections: (data) => sectionsOf((data as { reference: Reference }).reference),
};

export const meta: MetaFunction = ({ matches }) => docsMeta(handle, matches);

export const loader = ({ context }: LoaderFunctionArgs) => ({ reference: referenceOf(context) });

const sectionsOf = ({ groups }: Reference): SectionLink[] => [
  { id: 'basics', title: 'Basics' },
  { id: 'credential', title: 'Credential' },
  { id: 'tools', title: 'With other tools' },
  ...groups.map(({ name, operations }) => ({
    id: groupId(name),
    title: name,
    below: operations.map(({ id, method, path }) => ({
      id,
      title: `${method} ${path}`,
      code: true,
    })),
  })),
  { id: 'errors', title: 'Errors' },
];

const groupId = (name: string) => name.toLowerCase();

export default function ReferencePage() {
  const { reference } = useLoaderData<typeof loader>();
  const target = useDocs();
  const { origin } = target;
  return (
    <>
      <Section id="basics" title="Basics">
        <p>
          <Marked text={reference.description} />
        </p>
        <dl className={facts.facts}>
          <dt>Address</dt>
          <dd>
            <code>{origin}</code>
          </dd>
          <dt>Version</dt>
          <dd>{reference.version}</dd>
          <dt>Reads</dt>
          <dd>
            Any page may ask (<code>Access-Control-Allow-Origin: *</code>). How to ask often and
            cheaply: <Link to="/docs/status-pages">Status pages</Link>.
          </dd>
          <dt>Writes</dt>
          <dd>
            JSON, with <code>Content-Type: application/json</code>. An answer is sent after what it
            says is stored. Step by step: <Link to="/docs/operators">Operators</Link>.
          </dd>
        </dl>
      </Section>
      <Section id="credential" title="Credential">
        <p>
          Heartbeats and announces carry the header{' '}
          <code>Authorization: Bearer &lt;WEBHOOK_SECRET&gt;</code>. Nothing else does.
        </p>
        <p>
          <Marked text={reference.credential} />
        </p>
      </Section>
      <Section id="tools" title="With other tools">
        <p>
          The document itself, OpenAPI 3.1, is at{' '}
          <a href="/api/openapi.json">
            <code>/api/openapi.json</code>
          </a>
          . Clients such as Bruno, Insomnia and Postman import it by its address; generators such as
          openapi-typescript and OpenAPI Generator make a typed client of it.
        </p>
        <CodeBlock
          caption="Keep the document"
          code={`curl -s ${origin}/api/openapi.json > mesh-registry.json`}
        />
      </Section>
      {reference.groups.map(({ name, description, operations }) => (
        <Section key={name} id={groupId(name)} title={name}>
          <p>{description}</p>
          {operations.map((operation) => (
            <OperationSection key={operation.id} operation={operation} target={target} />
          ))}
        </Section>
      ))}
      <Section id="errors" title="Errors">
        <p>
          Every refusal is this JSON, whatever the path. <code>code</code> is for programs and
          stays; <code>error</code> is for people and may change. What an operator can do about
          each: <Link to="/docs/operators#refusals">Refusals</Link>.
        </p>
        <Fields label="Fields of an error" fields={reference.errorBody.fields} of="answer" />
        <Section id="codes" title="Codes" level={3}>
          <ErrorTable errors={reference.errors} />
        </Section>
      </Section>
    </>
  );
}

function ErrorTable({ errors }: { errors: ErrorRow[] }) {
  return (
    <dl className={styles.fields}>
      {errors.map(({ code, status, meaning, headers }) => (
        <div key={code} id={`error-${code}`}>
          <dt>
            <span className={styles.httpStatus}>{status}</span> <code>{code}</code>
          </dt>
          <dd>
            <p>
              <Marked text={meaning} />
            </p>
            {headers.length > 0 && (
              <p className={styles.fieldType}>
                with <Marked text={headers.map((name) => `\`${name}\``).join(', ')} />
              </p>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
