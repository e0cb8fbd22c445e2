import { z } from 'zod';
import { OBJECT, text } from '#server/common/input.schema.ts';

/** Where a stream resumes. EventSource sends the id of the last event by itself after a lost connection. */
export const Resume = z.object({ lastEventId: text(200).optional() }, OBJECT).optional();

/** For a subscription that has no signal. */
export const NEVER = new AbortController().signal;
