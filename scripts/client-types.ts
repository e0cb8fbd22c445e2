import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { parseConfig } from '#server/config.ts';
import { createOpenApi } from '#server/http/openapi.ts';

/**
 * `npm run client:types`: writes the types of the client from the OpenAPI document, and so from the schemas that
 * parse the requests. A test fails while the file is out of date.
 */

const FILE = join(import.meta.dirname, '..', 'client', 'schemas.ts');

const HEADING =
  '// Generated from the OpenAPI document by `npm run client:types`. Change the schemas of the server instead.\n\n';

/** The text that `client/schemas.ts` must have. */
export async function clientTypes(): Promise<string> {
  const answer = await createOpenApi(parseConfig({}))('http://localhost').in('identity');
  const document = JSON.parse(answer.body.toString()) as OpenAPI3;
  const nodes = await openapiTS(
    // The client has a method for each path: only what they take and answer with is of use.
    { ...document, paths: {} },
    {
      rootTypes: true,
      rootTypesNoSchemaPrefix: true,
      // What has a default may be left out of a request.
      defaultNonNullable: false,
      silent: true,
    },
  );
  return format(HEADING + astToString(nodes), {
    ...(await resolveConfig(FILE)),
    filepath: FILE,
  });
}

export const currentClientTypes = (): Promise<string> => readFile(FILE, 'utf8');

if (process.argv[1] === import.meta.filename) await writeFile(FILE, await clientTypes());
