import { z } from 'zod';
import { parse } from '#server/common/errors.schema.ts';
import { Reason } from '@mesh-registry/protocol/rest/fields.schema.ts';

const WithReason = z.object({ reason: Reason });

/** The reason as it is stored. @throws AppError `invalid_body` */
export const requireReason = (reason: string): string =>
  parse(WithReason, { reason }, 'invalid_body').reason;
