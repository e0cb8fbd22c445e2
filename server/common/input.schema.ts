import { z } from 'zod';
import { boundedText } from '@mesh-registry/protocol/text.schema.ts';

/** What the inputs of several procedures share. Every rule has its own message: a message of zod never reaches a client. */

export const OBJECT = 'must be a JSON object';

/** Text that the database can store. Parameters as for {@link boundedText}. */
export const text = (...bound: Parameters<typeof boundedText>) =>
  boundedText(...bound).refine((text) => !text.includes('\0'), 'must not contain a NUL character');

/** A payment note; none is this long. */
export const Note = text(64);

const WHOLE = 'must be a whole number';

/** A whole number, from JSON or as the text of a form field. */
export const WholeNumber = z.union(
  [
    z.int(WHOLE),
    boundedText(9, WHOLE)
      .regex(/^\d{1,9}$/, WHOLE)
      .transform(Number),
  ],
  WHOLE,
);

/** A form sends an empty text for a field that was left out. */
export const emptyOr = <Schema extends z.ZodType>(schema: Schema, message: string) =>
  z.union([z.literal('').transform(() => undefined), schema], message).optional();

/** A page of a list, from 1. */
export const Page = WholeNumber.pipe(z.int().min(1, 'must be 1 or more')).default(1);
