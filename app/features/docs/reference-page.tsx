import { Link, useLoaderData } from '@remix-run/react';
import { CodeBlock } from './code-block.tsx';
import { DefinitionList } from './definition-list.tsx';
import { Fields } from './fields.tsx';
import { OperationSection } from './operation-section.tsx';
import { Marked } from './marked.tsx';
import { Section, type SectionLink } from './section.tsx';
import { useDocs, type DocsPage } from './docs-page.ts';
import type { ErrorRow, Reference } from './reference.server.ts';
import facts from '#app/ui/facts.module.css';

export const referenceDocs: DocsPage = {
  path: '/docs',
  title: 'REST reference',
  intro:
    'Generated from the OpenAPI document, which is built from the schemas that validate requests.',
  sections: (data) => sectionsOf((data as { reference: Reference }).reference),
};

const sectionsOf = ({ groups }: Reference): SectionLink[] => [
  { id: 'basics', title: 'Basics' },
  { id: 'credential', title: 'Authentication' },
  { id: 'tools', title: 'Other tools' },
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

export function ReferencePage() {
  const { reference } = useLoaderData<{ reference: Reference }>();
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
            Open to any web page (<code>Access-Control-Allow-Origin: *</code>). See{' '}
            <Link to="/docs/status-pages">Status pages</Link> for how to poll efficiently.
          </dd>
          <dt>Writes</dt>
          <dd>
            JSON, with <code>Content-Type: application/json</code>. A response is sent only once the
            data is stored. Step by step: <Link to="/docs/operators">Operators</Link>.
          </dd>
        </dl>
      </Section>
      <Section id="credential" title="Authentication">
        <p>
          Heartbeats and announcements carry the header{' '}
          <code>Authorization: Bearer &lt;WEBHOOK_SECRET&gt;</code>. No other request needs it.
        </p>
        <p>
          <Marked text={reference.credential} />
        </p>
      </Section>
      <Section id="tools" title="Other tools">
        <p>
          The OpenAPI 3.1 document is at{' '}
          <a href="/api/openapi.json">
            <code>/api/openapi.json</code>
          </a>
          . Bruno, Insomnia and Postman can import it by URL; openapi-typescript and OpenAPI
          Generator can generate a typed client from it.
        </p>
        <CodeBlock
          caption="Download the document"
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
          Every error has this JSON body, whatever the path. <code>code</code> is for programs and
          stable; <code>error</code> is for people and may change. What to do about each:{' '}
          <Link to="/docs/operators#refusals">Errors and what to do</Link>.
        </p>
        <Fields label="Fields of an error" fields={reference.errorBody.fields} of="response" />
        <Section id="codes" title="Codes" level={3}>
          <ErrorCodes errors={reference.errors} />
        </Section>
      </Section>
    </>
  );
}

function ErrorCodes({ errors }: { errors: ErrorRow[] }) {
  return (
    <DefinitionList
      items={errors.map(({ code, status, meaning, headers }) => ({
        key: code,
        id: `error-${code}`,
        term: (
          <>
            <strong>{status}</strong> <code>{code}</code>
          </>
        ),
        meaning,
        note: headers.length > 0 && `with ${headers.map((name) => `\`${name}\``).join(', ')}`,
      }))}
    />
  );
}
