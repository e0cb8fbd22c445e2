import { Link, useLoaderData, useLocation } from '@remix-run/react';
import { useEffect } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import { CodeBlock, P, Section } from './section.tsx';
import { useDocs } from './docs-layout.tsx';
import type { DocsPage } from './docs-page.ts';
import type { loadRest } from './docs-pages.server.ts';
import facts from '#app/ui/facts.module.css';
import styles from './rest-page.module.css';

type Rest = ReturnType<typeof loadRest>;

export const restDocs: DocsPage = {
  path: hrefs.docs.rest(),
  title: 'REST API',
  intro:
    'Generated from the OpenAPI document, which is built from the schemas that validate requests.',
  sections: [
    { id: 'basics', title: 'Basics' },
    { id: 'credential', title: 'Authentication' },
    { id: 'endpoints', title: 'Endpoints' },
    { id: 'errors', title: 'Errors' },
    { id: 'tools', title: 'Other tools' },
  ],
};

/** The start of the reference: what holds for every request, and all requests with their pages. */
export function RestPage() {
  const overview = useLoaderData<typeof loadRest>();
  const { origin } = useDocs();
  useMovedSections(overview);
  return (
    <>
      <Section id="basics" title="Basics">
        <P>{overview.description}</P>
        <dl className={facts.facts}>
          <dt>Address</dt>
          <dd>
            <code>{origin}</code>
          </dd>
          <dt>Version</dt>
          <dd>{overview.version}</dd>
          <dt>Reads</dt>
          <dd>
            Open to any web page (<code>Access-Control-Allow-Origin: *</code>). See{' '}
            <Link to={hrefs.docs.statusPages()}>Status pages</Link> for how to poll efficiently.
          </dd>
          <dt>Writes</dt>
          <dd>
            JSON, with <code>Content-Type: application/json</code>. A response is sent only once the
            data is stored. Step by step: <Link to={hrefs.docs.operators()}>Operators</Link>.
          </dd>
        </dl>
      </Section>
      <Section id="credential" title="Authentication">
        <p>
          Heartbeats and announcements carry the header{' '}
          <code>Authorization: Bearer &lt;WEBHOOK_SECRET&gt;</code>. No other request needs it.
        </p>
        <P>{overview.credential}</P>
      </Section>
      <Section id="endpoints" title="Endpoints">
        <p>The page of each area has every field and error, and a form to try its reads.</p>
        {overview.areas.map(({ name, path: page, description, operations }) => (
          <div key={page} id={areaId(page)} className={styles.area}>
            <h3>
              <Link to={page}>{name}</Link>
            </h3>
            <p>{description}</p>
            <ul>
              {operations.map(({ id, method, path, summary }) => (
                <li key={id} id={id}>
                  <Link to={`${page}#${id}`}>
                    <span className={styles.method}>{method}</span>
                    <code>{path}</code>
                  </Link>
                  <span>{summary}</span>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </Section>
      <Section id="errors" title="Errors">
        <p>
          Every error has the same JSON body, described with all codes on the page{' '}
          <Link to={hrefs.docs.errors()}>Errors</Link>.
        </p>
        <ul className={styles.codes} id="codes">
          {overview.errors.map(({ code, status }) => (
            <li key={code} id={`error-${code}`}>
              <a href={hrefs.docs.errors(code)}>
                {status} <code>{code}</code>
              </a>
            </li>
          ))}
        </ul>
      </Section>
      <Section id="tools" title="Other tools">
        <p>
          The OpenAPI 3.1 document is at{' '}
          <a href={hrefs.api.openapi()}>
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
    </>
  );
}

/** The id of an area's part: its former section, when the reference was a single page. */
const areaId = (page: string) => page.slice(hrefs.docs.area('').length);

/**
 * Links to a section from when the reference was a single page, such as `/docs#getMesh`, lead to its page by way of
 * this one.
 * Servers don't see that part of a URL. Without scripts, the part with the same id links to the page.
 */
function useMovedSections({ areas, errors }: Rest): void {
  const { hash } = useLocation();
  useEffect(() => {
    const id = hash.slice(1);
    const area = areas.find(
      ({ path, operations }) =>
        areaId(path) === id || operations.some((operation) => operation.id === id),
    );
    const isError = id === 'codes' || errors.some(({ code }) => id === `error-${code}`);
    // As a new page, so that the browser highlights the section.
    if (area) window.location.replace(areaId(area.path) === id ? area.path : area.path + hash);
    else if (isError) window.location.replace(`${hrefs.docs.errors()}${hash}`);
  }, [hash, areas, errors]);
}
