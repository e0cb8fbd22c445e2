import { z } from 'zod';
import {
  QUESTION_TEXT_MAX,
  QUEUE_LIMIT,
  DECISIONS,
  REASON_MAX,
  REGISTRATION_STATUSES,
} from '@mesh-registry/protocol/values.schema.ts';
import { QuestionText } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { emptyOr, Note, OBJECT, Page, text, WholeNumber } from '#server/common/input.schema.ts';
import { REVIEW_QUERY_MAX } from './search.schema.ts';

/** Inputs of the queue's procedures. The fields of plain forms are valid inputs. */

export const OfNote = z.object({ note: Note }, OBJECT);

export const QueueInput = z
  .object(
    {
      /** The registration that is open beside the list. */
      open: Note.optional(),
      /** Also record that the reviewer has it open, as when its page is loaded. */
      markOpen: z.boolean('must be true or false').default(false),
    },
    OBJECT,
  )
  .default({ markOpen: false });

/** The same text again is the same question. */
export const Ask = OfNote.extend({ text: text(2 * QUESTION_TEXT_MAX).pipe(QuestionText) });

export const Assign = OfNote.extend({
  /** The address of a reviewer; empty: nobody. */
  to: text(320).default(''),
});

export const WriteRemark = OfNote.extend({
  /** Empty: without a remark. */
  text: text(REASON_MAX),
  /** When the remark was written that the reviewer saw; empty: there was none. */
  seen: text(40).default(''),
});

export const MarkOpen = OfNote.extend({
  /** Replace another reviewer who has it open. */
  takeOver: z.boolean('must be true or false').default(false),
});

const REASON = {
  reason: text(REASON_MAX).optional(),
  /** One of the suggested reasons, used if `reason` is empty: without scripts it can't be copied there. */
  phrase: text(REASON_MAX).optional(),
};

const withReason = <Input extends { reason?: string | undefined; phrase?: string | undefined }>({
  phrase,
  reason,
  ...rest
}: Input) => ({ ...rest, reason: reason?.trim() || phrase });

export const Decide = OfNote.extend({
  decision: z.enum(DECISIONS, `must be one of ${DECISIONS.join(', ')}`),
  ...REASON,
  /** The registration's `rev` that the reviewer saw. */
  rev: emptyOr(WholeNumber, 'must be a whole number'),
  /** To accept despite the notices that ask. A form's ticked box sends `true`. */
  despiteNotices: z
    .union([z.boolean(), z.literal('true').transform(() => true)], 'must be true or false')
    .default(false),
}).transform(withReason);

const upToMax = <Row extends z.ZodType>(row: Row) =>
  z
    .array(row, 'must be a list of registrations')
    .min(1, 'must have at least one registration')
    .max(QUEUE_LIMIT, `must have at most ${QUEUE_LIMIT} registrations`);

export const RejectTogether = z
  .object(
    {
      /** Each with the `rev` that the reviewer saw. */
      rows: upToMax(z.object({ note: Note, rev: WholeNumber }, OBJECT)),
      ...REASON,
    },
    OBJECT,
  )
  .transform(withReason);

export const OfNotes = z.object({ notes: upToMax(Note) }, OBJECT);

export const RegistrationsInput = z.object(
  {
    q: text(REVIEW_QUERY_MAX).default(''),
    status: z
      .enum(REGISTRATION_STATUSES, `must be one of ${REGISTRATION_STATUSES.join(', ')}`)
      .nullable()
      .default(null),
    page: Page,
  },
  OBJECT,
);
