import { z } from 'zod';

/** What the inputs of procedures have in common. What is wrong with one is said in our words: zod's own never get out. */

export const OBJECT = 'must be a JSON object';

/** Text as the database can keep it. @param max characters */
export const text = (max: number) =>
  z
    .string('must be a string')
    .max(max, `must be at most ${max} characters`)
    .refine((text) => !text.includes('\0'), 'must not have a NUL in it');

/** A payment note; none is as long. */
export const Note = text(64);

/** Of a list that is told in pages. */
export const Page = z.int('must be a whole number').min(1, 'must be 1 or more').default(1);

/** For a subscription that has no signal. */
export const NEVER = new AbortController().signal;
