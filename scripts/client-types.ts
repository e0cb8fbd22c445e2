import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { format, type FormatConfig } from 'oxfmt';
import { parseConfig } from '#server/config.ts';
import { createOpenApi } from '#server/entry/openapi/document.ts';

/**
 * `npm run client:types`: writes the types of the client from the OpenAPI document, and so from the schemas that
 * parse the requests. A test fails while the file is out of date.
 */

const ROOT = join(import.meta.dirname, '..');
const FILE = join(ROOT, 'packages', 'client', 'schemas.ts');

const HEADING =
  '// Generated from the OpenAPI document by `npm run client:types`. Change the schemas of the server instead.\n\n';

/** The text that `packages/client/schemas.ts` must have. */
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
  const { code } = await format(FILE, HEADING + astToString(nodes), await formatOptions());
  return code;
}

/** Those of the whole project: `format` reads no file. */
async function formatOptions(): Promise<FormatConfig> {
  return JSON.parse(await readFile(join(ROOT, '.oxfmtrc.json'), 'utf8')) as FormatConfig;
}

export const currentClientTypes = (): Promise<string> => readFile(FILE, 'utf8');

if (process.argv[1] === import.meta.filename) await writeFile(FILE, await clientTypes());
