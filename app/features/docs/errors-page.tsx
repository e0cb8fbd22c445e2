import { Link, useLoaderData } from '@remix-run/react';
import * as hrefs from '#app/lib/hrefs.ts';
import { ErrorList, Fields } from './definition-list.tsx';
import { P, Section } from './section.tsx';
import type { DocsPage } from './docs-page.ts';
import type { loadErrors } from './docs-pages.server.ts';

export const errorsDocs: DocsPage = {
  path: hrefs.docs.errors(),
  title: 'API errors',
  intro: 'The body that every error has, and the meaning of each code.',
  sections: [
    { id: 'body', title: 'Body' },
    { id: 'codes', title: 'Codes' },
  ],
};

/** The errors of all requests. */
export function ErrorsPage() {
  const { errors, errorBody } = useLoaderData<typeof loadErrors>();
  return (
    <>
      <Section id="body" title="Body">
        <P>
          Every error has this JSON body, whatever the path. `code` is for programs and stable;
          `error` is for people and may change. What to do about each:{' '}
          <Link to={hrefs.docs.operators('refusals')}>Errors and what to do</Link>.
        </P>
        <Fields label="Fields of an error" fields={errorBody.fields} of="response" />
      </Section>
      <Section id="codes" title="Codes">
        <ErrorList
          errors={errors.map(({ headers, ...error }) => ({
            ...error,
            id: `error-${error.code}`,
            note:
              headers.length > 0 ? `with ${headers.map((name) => `\`${name}\``).join(', ')}` : '',
          }))}
        />
      </Section>
    </>
  );
}
