import { expect, test } from 'vitest';
import { z } from 'zod';
import { boundedText } from '@mesh-registry/protocol/text.schema.ts';
import { restPaths } from './openapi/document.ts';
import { appRouter } from './trpc/router.ts';

/** A request's texts have a maximum that is judged before any other work, whatever way they come in. */

type Schema = z.core.$ZodTypes;

/** The texts in a schema without such a maximum, by where they stand. Of a pipe only what goes in matters. */
function unbounded(schema: unknown, at: string): string[] {
  const { def } = (schema as Schema)._zod;
  switch (def.type) {
    case 'string': {
      // A format of its own, such as z.email(), is judged before any check that is added to it.
      const first = 'format' in def ? undefined : def.checks?.[0]?._zod.def;
      return first?.check === 'max_length' && first.abort === true ? [] : [at];
    }
    case 'object':
      return [
        ...Object.entries(def.shape).flatMap(([key, value]) => unbounded(value, `${at}.${key}`)),
        ...(def.catchall ? unbounded(def.catchall, `${at}.*`) : []),
      ];
    case 'array':
      return unbounded(def.element, `${at}[]`);
    case 'union':
      return def.options.flatMap((option, n) => unbounded(option, `${at}|${n}`));
    case 'pipe':
      return unbounded(def.in, at);
    case 'optional':
    case 'nullable':
    case 'default':
      return unbounded(def.innerType, at);
    case 'number':
    case 'boolean':
    case 'date':
    case 'file':
    case 'enum':
    case 'literal':
    case 'null':
    case 'void':
    case 'never':
      return [];
    default:
      return [`${at} (${def.type})`];
  }
}

test('every text that an endpoint takes is bounded first: bodies, queries, paths and headers', () => {
  const taken = Object.entries(restPaths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody, requestParams = {} }]) => {
      const content = requestBody && 'content' in requestBody ? requestBody.content : {};
      const schemas = [content['application/json']?.schema, ...Object.values(requestParams)];
      return schemas
        .filter((schema) => schema instanceof z.ZodType)
        .map((schema) => [`${method} ${path}`, schema] as const);
    }),
  );
  expect(taken.length).toBeGreaterThan(12);
  expect(taken.flatMap(([at, schema]) => unbounded(schema, at))).toEqual([]);
});

test('every text that a procedure of the typed API takes is bounded first', () => {
  const procedures = Object.entries(
    appRouter._def.procedures as unknown as Record<string, { _def: { inputs: unknown[] } }>,
  );
  const taken = procedures.flatMap(([path, { _def }]) =>
    _def.inputs.map((input) => [path, input] as const),
  );
  expect(taken.length).toBeGreaterThan(50);
  expect(taken.flatMap(([at, schema]) => unbounded(schema, at))).toEqual([]);
});

test('a text that is too long is refused by that alone', () => {
  const judged: string[] = [];
  const refined = boundedText(4).refine((text) => judged.push(text) > 0);
  expect(refined.safeParse('12345').error?.issues).toMatchObject([
    { message: 'must be at most 4 characters' },
  ]);
  expect(judged).toEqual([]);
  expect(refined.safeParse('1234').success).toBe(true);
  expect(unbounded(z.string().refine(Boolean).max(4), 'late')).toEqual(['late']);
  expect(unbounded(z.email().max(4), 'format')).toEqual(['format']);
  expect(unbounded(z.string().transform(Number).pipe(z.int()), 'none')).toEqual(['none']);
});
