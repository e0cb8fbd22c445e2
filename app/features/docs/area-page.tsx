import { useLoaderData } from '@remix-run/react';
import { OperationSection } from './operation-section.tsx';
import { useDocs, type DocsPage } from './docs-page.ts';
import type { loadArea } from './docs-pages.server.ts';

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
