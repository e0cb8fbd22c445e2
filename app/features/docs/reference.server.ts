import type { RequestContext } from '#server/entry/context.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import type { DocumentOperation, DocumentResponse, OpenApiDocument } from './openapi-document.ts';
import { docsPages, type PageLink } from './docs-page.ts';
import { bodiesOf, fieldOf, type Body } from './schema-fields.ts';

/** The REST reference as plain data, generated from our OpenAPI document. */
type Reference = ReturnType<typeof generateReference>;
export type Operation = ReturnType<typeof operationOf>;
export type Parameter = Operation['parameters'][number];

/** Responses with the same body. */
export interface ResponseGroup {
  responses: { status: string; description: string; headers: ReturnType<typeof headersOf> }[];
  bodies: Body[];
}

const references = new WeakMap<RequestContext['openapi'], Reference>();

/** Generated once per server, because it doesn't depend on the origin of the request. */
export function referenceOf({ openapi, origin }: RequestContext): Reference {
  const reference =
    references.get(openapi) ??
    generateReference(JSON.parse(openapi(origin()).content.toString()) as OpenApiDocument);
  references.set(openapi, reference);
  return reference;
}

/** The paths of all pages of the documentation. */
export const docsPaths = (context: RequestContext): string[] => [
  hrefs.docs.home(),
  ...docsPages(areaLinks(context))
    .flatMap(({ pages }) => pages.map(({ to }) => to))
    .filter((to) => !to.includes('#')),
];

/** The pages of the areas. */
export const areaLinks = (context: RequestContext): PageLink[] =>
  referenceOf(context).areas.map(({ name, path }) => ({ to: path, name }));

function generateReference({ info, tags, components, paths }: OpenApiDocument) {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tags: operation.tags,
      operation,
      shown: operationOf(method.toUpperCase(), path, operation, components.schemas),
    })),
  );
  const [errorBody] = bodiesOf({ $ref: '#/components/schemas/Error' }, components.schemas);
  if (!errorBody) throw new Error('The document has no error schema.');
  return {
    version: info.version,
    description: info.description,
    credential: Object.values(components.securitySchemes)
      .map(({ description }) => description)
      .join(' '),
    /** Each tag has a page of its own. */
    areas: tags.map(({ name, description }) => ({
      name,
      path: hrefs.docs.area(name.toLowerCase()),
      description,
      operations: all.filter(({ tags }) => tags.includes(name)).map(({ shown }) => shown),
    })),
    errors: errorsOf(all.map(({ operation }) => operation)),
    errorBody,
  };
}

const isAlways = (name: string, security: DocumentOperation['security'] = []) =>
  security.length > 0 && security.every((scheme) => name in scheme);

const isError = (status: string) => Number(status) >= 400;
const json = ({ content }: { content?: DocumentResponse['content'] }) =>
  content?.['application/json'];

function operationOf(
  method: string,
  path: string,
  operation: DocumentOperation,
  schemas: OpenApiDocument['components']['schemas'],
) {
  const request = json(operation.requestBody ?? {})?.schema;
  const responses = Object.entries(operation.responses);
  const groups = new Map<string, ResponseGroup>();
  for (const [status, response] of responses) {
    if (isError(status)) continue;
    const schema = json(response)?.schema;
    const key = JSON.stringify(schema ?? null);
    const group = groups.get(key) ?? {
      responses: [],
      bodies: schema ? bodiesOf(schema, schemas) : [],
    };
    group.responses.push({
      status,
      description: response.description,
      headers: headersOf(response),
    });
    groups.set(key, group);
  }
  return {
    id: operation.operationId,
    method,
    path,
    summary: operation.summary,
    description: operation.description ?? null,
    /** Whether it takes the network's secret. */
    credential: (operation.security ?? []).some((scheme) => 'webhookSecret' in scheme),
    /** Whether the key of a node has to sign it: no command of the shell does that. */
    signed: isAlways('nodeSignature', operation.security),
    parameters: (operation.parameters ?? []).map(
      ({ in: where, name, required, description, schema }) => {
        const field = fieldOf(name, schema, required ?? false, schemas);
        return {
          ...field,
          description: field.description ?? description ?? null,
          in: where,
          /** The values it allows; null where any other text may be valid. */
          values: schema.enum?.map(String) ?? null,
          /** The value that leaving it out means; null where there is none. */
          standard: typeof schema.default === 'string' ? schema.default : null,
        };
      },
    ),
    requests: request ? bodiesOf(request, schemas) : [],
    responses: [...groups.values()],
    errors: responses
      .filter(([status]) => isError(status))
      .map(([status, response]) => ({ status, codes: Object.keys(examplesOf(response)) })),
  };
}

const headersOf = ({ headers = {} }: DocumentResponse) =>
  Object.entries(headers).map(([name, { description }]) => ({
    name,
    description: description ?? null,
  }));

/** Each error has an example, by its code. */
const examplesOf = (response: DocumentResponse) => json(response)?.examples ?? {};

/** Every error code of any operation, in order of their statuses. */
function errorsOf(operations: DocumentOperation[]) {
  const rows = new Map<
    string,
    { code: string; status: string; meaning: string; headers: string[] }
  >();
  for (const { responses } of operations)
    for (const [status, response] of Object.entries(responses)) {
      if (!isError(status)) continue;
      const headers = headersOf(response).map(({ name }) => name);
      for (const [code, { value }] of Object.entries(examplesOf(response)))
        rows.set(code, { code, status, meaning: (value as { error: string }).error, headers });
    }
  return [...rows.values()].sort((a, b) => Number(a.status) - Number(b.status));
}
