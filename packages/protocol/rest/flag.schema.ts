import { z } from 'zod';

/** A query parameter that is on or off; off if it is left out. */
export const Flag = (description: string) =>
  z
    .enum(['1', 'true', '0', 'false'], 'must be 1, true, 0 or false')
    .transform((value) => value === '1' || value === 'true')
    .default(false)
    .meta({
      override: { type: 'string', enum: ['1', 'true', '0', 'false'] },
      description,
      example: '1',
    });
