import { z } from 'zod';

/**
 * A text of a request. Its length is judged before anything else, so what is too long costs no more than that.
 * @param max UTF-16 code units
 * @param rule what a text is told that is too long
 */
export const boundedText = (max: number, rule = `must be at most ${max} characters`) =>
  z.string('must be a string').max(max, { error: rule, abort: true });
