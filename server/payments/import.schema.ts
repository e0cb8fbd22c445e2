import { z } from 'zod';
import { boundedText } from '@mesh-registry/protocol/text.schema.ts';
import { Note, OBJECT, Page, text } from '#server/common/input.schema.ts';
import {
  BULK_ACCEPT_MAX,
  DATE_ORDERS,
  FILE_BYTES,
  MATCH_STATES,
  PAYMENT_SEARCH_MAX,
} from './payments.schema.ts';

/** What the procedures of payments take. The plain fields of the pages' forms satisfy them. */

/** A column that was not chosen in a form. The import refuses it at its field, and shows the file's columns again. */
const NOT_CHOSEN = -1;
const COLUMN = 'must be the number of a column, from 0';

const columnOr = <Empty extends number | null>(empty: Empty) =>
  z.union(
    [
      z.int(COLUMN),
      boundedText(4, COLUMN)
        .regex(/^\d{0,4}$/, COLUMN)
        .transform((text) => (text === '' ? empty : Number(text))),
    ],
    COLUMN,
  );
const Column = columnOr(NOT_CHOSEN);
const OptionalColumn = columnOr(null).nullable().default(null);

const ORDER = `must be one of ${DATE_ORDERS.join(', ')}`;

/** Where an export has what is stored, by the number of the column from 0. */
export const Mapping = z.object(
  {
    date: Column,
    order: z.union([z.enum(DATE_ORDERS, ORDER), z.literal('').transform(() => null)], ORDER),
    amount: Column,
    note: Column,
    /** Null: the file has no transaction ids; they are derived from date, amount and note. */
    id: OptionalColumn,
    /** Null: every amount is in US dollars, unless the amount itself says otherwise. */
    currency: OptionalColumn,
    /** Null: every row is completed. */
    state: OptionalColumn,
  },
  OBJECT,
);
export type Mapping = z.output<typeof Mapping>;

/** Longer than a file: in the field of a form browsers send each line break as two characters. */
const ExportText = text(2 * FILE_BYTES);

export const ImportPayments = z.object(
  {
    /** The export as a browser uploads it. */
    file: z.file('choose a file').optional(),
    /** The text of the export, from a program or from the mapping form. */
    text: ExportText.optional(),
    mapping: Mapping.optional(),
  },
  OBJECT,
);

export type Upload = z.output<typeof ImportPayments>;

export const PreviewExport = z.object({ text: ExportText }, OBJECT);

const NOTES = 'must be an array of payment notes';
export const Notes = z.object(
  { notes: z.array(Note, NOTES).max(BULK_ACCEPT_MAX, `must be at most ${BULK_ACCEPT_MAX}`) },
  OBJECT,
);

export const PaymentsInput = z.object(
  {
    q: text(PAYMENT_SEARCH_MAX).default(''),
    matchState: z.enum(MATCH_STATES, 'must be a state of payments').nullable().default(null),
    page: Page,
    needsLook: z.boolean('must be true or false').default(false),
  },
  OBJECT,
);
