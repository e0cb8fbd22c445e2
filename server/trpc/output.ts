import { tracked } from '@trpc/server';
import type { z } from 'zod';
import type { Answer, Change } from '#server/live/index.ts';

/** Parses the cached bytes of a REST answer: both interfaces then say the same, with the type of the wire schema. */
export const parseAnswer = <Schema extends z.ZodType>(
  _: Schema,
  { body }: Answer,
): z.output<Schema> => JSON.parse(body.toString()) as z.output<Schema>;

/** Changes as tRPC streams them, each with the id from which a client resumes. */
export async function* trackChanges<Head, Row>(changes: AsyncGenerator<Change<Head, Row>>) {
  for await (const { id, ...change } of changes) yield tracked(id, change);
}
