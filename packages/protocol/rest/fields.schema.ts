import { z } from 'zod';
import { boundedText } from '../text.schema.ts';
import { containsIpAddress } from './ip-address.schema.ts';
import {
  NODE_ID_PATTERN,
  REGION_PATTERN,
  KINDS,
  NODE_CLASSES,
  QUESTION_TEXT_MAX,
  REASON_MAX,
} from '../values.schema.ts';

/** Fields that several requests and answers share, each with its one rule. */

export const Timestamp = z.iso.datetime({ precision: 3 }).meta({
  description: 'ISO 8601, UTC, with milliseconds.',
  example: '2026-07-17T12:03:10.000Z',
});

const NO_ADDRESS = 'must not include an IP address';
const revealsNothing = (text: string) => !containsIpAddress(text);

const NODE_ID_RULE = 'must be 2 to 64 characters: a-z, A-Z, 0-9, - and _';
const anyNodeId = boundedText(64, NODE_ID_RULE).regex(NODE_ID_PATTERN, NODE_ID_RULE);
const NODE_ID_META = {
  // The pattern checks it.
  minLength: 2,
  description: 'Opaque identifier of a node, chosen by its operator.',
  example: 'node_macmini',
};

export const NodeId = anyNodeId.meta(NODE_ID_META);
/** As a node or its operator sends it: never the address of a machine, such as `ip-203-0-113-7`. */
export const SentNodeId = anyNodeId.refine(revealsNothing, NO_ADDRESS).meta(NODE_ID_META);

/** Whether this is the bootstrap peer's id, in any letter case. No node can use it. */
export const isReservedNodeId = (nodeId: string) => nodeId.toLowerCase() === 'genesis';

export const REGION_RULE = 'must be 1 to 16 characters: A-Z, 0-9, - and _';

const anyRegion = boundedText(16, REGION_RULE).regex(REGION_PATTERN, REGION_RULE);
const REGION_META = { description: 'Region code. ZZ means unknown.', example: 'NA' };

export const Region = anyRegion.meta(REGION_META);
/** As {@link SentNodeId}. */
export const SentRegion = anyRegion.refine(revealsNothing, NO_ADDRESS).meta(REGION_META);

export const NodeClass = z
  .enum(NODE_CLASSES, 'must be S, M or L')
  .meta({ description: 'Size class.', example: 'M' });

/** Longest label, characters as people count them. */
export const LABEL_MAX = 64;

export const NAME_MIN = 2;
export const NAME_MAX = 32;
export const NAME_PATTERN = /^[a-z0-9](?:[a-z0-9_-]{0,30}[a-z0-9])$/;
export const NAME_RULE = `${NAME_MIN} to ${NAME_MAX} characters: a-z, 0-9, - and _, starting and ending with a letter or digit`;

/** A public name, of a registration or of a compute offer. Uppercase is converted. */
export const Name = boundedText(NAME_MAX, `must be ${NAME_RULE}`)
  // Only A-Z: toLowerCase() would turn the Kelvin sign into a k.
  .transform((name) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))
  .refine((name) => NAME_PATTERN.test(name), `must be ${NAME_RULE}`)
  .meta({
    // A transform has no JSON Schema of its own.
    override: {
      type: 'string',
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,30}[A-Za-z0-9]$',
      minLength: NAME_MIN,
      maxLength: NAME_MAX,
    },
    description: `Public name: ${NAME_RULE}. Uppercase is converted.`,
    example: 'garage',
  });

/** A name that somebody registers: as {@link SentNodeId}. */
export const SentName = Name.refine(revealsNothing, NO_ADDRESS).meta(Name.meta() ?? {});

/** The longest label that is sent, UTF-16 code units: markup and other characters that are removed from it count. */
export const LABEL_SENT_MAX = 256;

/** A label as it is sent. The service cleans it, and then allows {@link LABEL_MAX}. */
export const SentLabel = boundedText(
  LABEL_SENT_MAX,
  `must be at most ${LABEL_MAX} characters, and ${LABEL_SENT_MAX} with what is removed from it`,
);

/** One line of text as it is stored: control and other invisible characters become spaces. */
export const plainText = (text: string): string => text.replace(/\p{C}+/gu, ' ').trim();

export const REASON_RULE = `must have 1 to ${REASON_MAX} characters`;

const plainLine = (max: number, rule: string) =>
  boundedText(2 * max, rule)
    .transform(plainText)
    .pipe(z.string().min(1, rule).max(max, rule));

/** Why a reviewer did something. */
export const Reason = plainLine(REASON_MAX, REASON_RULE);

/** What a reviewer asks about a registration, and what its operator answers. */
export const QuestionText = plainLine(
  QUESTION_TEXT_MAX,
  `must have 1 to ${QUESTION_TEXT_MAX} characters`,
).meta({
  override: { type: 'string', minLength: 1, maxLength: QUESTION_TEXT_MAX },
  description: `Plain text, 1 to ${QUESTION_TEXT_MAX} characters: line breaks become spaces.`,
  example: 'The payment came from J. Doe.',
});

export const Kind = z.enum(KINDS, 'must be node or compute');

export const Total = z.int().min(0).meta({ example: 1 });

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
