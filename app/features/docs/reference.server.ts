import type { RequestContext } from '#server/entry/context.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import type { DocumentOperation, DocumentResponse, OpenApiDocument } from './openapi-document.ts';
import { docsPages, type PageLink } from './docs-page.ts';
import { bodiesOf, fieldOf, type Body, type Field } from './schema-fields.ts';

/** The REST reference as plain data, generated from our OpenAPI document. */
export interface Reference {
  version: string;
  description: string;
  credential: string;
  areas: Area[];
  errors: ErrorRow[];
  errorBody: Body;
}

/** A tag of the document, which has a page of its own. */
export interface Area {
  name: string;
  path: string;
  description: string;
  operations: Operation[];
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Operation {
  id: string;
  method: Method;
  path: string;
  summary: string;
  description: string | null;
  /** Whether it requires the network's secret. */
  credential: boolean;
  /** Whether the key of a node has to sign it: no command of the shell does that. */
  signed: boolean;
  parameters: Parameter[];
  requests: Body[];
  responses: ResponseGroup[];
  errors: { status: string; codes: string[] }[];
}

export interface Parameter extends Field {
  in: string;
  example: unknown;
  /** The values it allows; null where any other text may be valid. */
  values: string[] | null;
  /** The value that leaving it out means; null where there is none. */
  standard: string | null;
}

/** Responses with the same body. */
export interface ResponseGroup {
  responses: { status: string; description: string; headers: Header[] }[];
  bodies: Body[];
}

export interface Header {
  name: string;
  description: string | null;
}

export interface ErrorRow {
  code: string;
  status: string;
  meaning: string;
  headers: string[];
}

const references = new WeakMap<RequestContext['openapi'], Reference>();

/** Generated once per server, because it doesn't depend on the origin of the request. */
export function referenceOf({ openapi, origin }: RequestContext): Reference {
  const known = references.get(openapi);
  if (known) return known;
  const document = JSON.parse(openapi(origin()).content.toString()) as OpenApiDocument;
  const reference = generateReference(document);
  references.set(openapi, reference);
  return reference;
}

/** The paths of all pages of the documentation. */
export const docsPaths = (context: RequestContext): string[] =>
  docsPages(areaLinks(context)).flatMap(({ pages }) => pages.map(({ to }) => to));

/** The pages of the areas. */
export const areaLinks = (context: RequestContext): PageLink[] =>
  referenceOf(context).areas.map(({ name, path }) => ({ to: path, name }));

function generateReference(document: OpenApiDocument): Reference {
  const { info, tags, components } = document;
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tags: operation.tags,
      operation,
      shown: operationOf(method.toUpperCase() as Method, path, operation, components.schemas),
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

const isError = (status: string) => Number(status) >= 400;
const json = ({ content }: { content?: DocumentResponse['content'] }) =>
  content?.['application/json'];

function operationOf(
  method: Method,
  path: string,
  operation: DocumentOperation,
  schemas: OpenApiDocument['components']['schemas'],
): Operation {
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
    credential: (operation.security ?? []).length > 0,
    signed: (operation.security ?? []).some((scheme) => 'nodeSignature' in scheme),
    parameters: (operation.parameters ?? []).map(
      ({ in: where, name, required, description, schema }) => {
        const field = fieldOf(name, schema, required ?? false, schemas);
        return {
          ...field,
          description: field.description ?? description ?? null,
          in: where,
          values: schema.enum?.map(String) ?? null,
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

const headersOf = ({ headers = {} }: DocumentResponse): Header[] =>
  Object.entries(headers).map(([name, { description }]) => ({
    name,
    description: description ?? null,
  }));

/** Each error has an example, by its code. */
const examplesOf = (response: DocumentResponse) => json(response)?.examples ?? {};

/** Every error code of any operation, in order of their statuses. */
function errorsOf(operations: DocumentOperation[]): ErrorRow[] {
  const rows = new Map<string, ErrorRow>();
  for (const { responses } of operations)
    for (const [status, response] of Object.entries(responses)) {
      if (!isError(status)) continue;
      const headers = headersOf(response).map(({ name }) => name);
      for (const [code, { value }] of Object.entries(examplesOf(response)))
        rows.set(code, { code, status, meaning: (value as { error: string }).error, headers });
    }
  return [...rows.values()].sort((a, b) => Number(a.status) - Number(b.status));
}
