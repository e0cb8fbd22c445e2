import { z } from 'zod';
import { NodeClass, REGION_RULE, SentRegion } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { UNKNOWN_REGION } from '@mesh-registry/protocol/values.schema.ts';
import { emptyOr, OBJECT, text } from '#server/common/input.schema.ts';
import {
  AnswerQuestion,
  Cancel,
  Confirm,
  Start,
} from '@mesh-registry/protocol/rest/register.schema.ts';

/** What the procedures of a registration take: the bodies of the REST interface, and what only the pages ask. */

const GIVEN = {
  // A form sends an empty text for what was left out.
  class: emptyOr(NodeClass, 'must be S, M or L'),
  region: emptyOr(SentRegion, `${REGION_RULE}, and no IP address`),
};

const START = Start.omit({ action: true }).extend({
  ...GIVEN,
  earlierId: emptyOr(text(128), 'too long'),
});

export const StartRegistration = START.extend({ idempotencyKey: emptyOr(text(255), 'too long') });

export const StartedWith = START.extend({ idempotencyKey: text(255) });

export const ConfirmRegistration = Confirm.omit({ action: true });

export const AnswerReviewer = AnswerQuestion.omit({ action: true });

/** The form on the page of a registration. */
export const SubmitConfirmation = z.object(
  {
    id: text(256),
    cashConfirm: Confirm.shape.cashConfirm,
    /** Any value: only replace the confirmation text. Otherwise also confirm the payment. */
    corrects: text(16).optional(),
  },
  OBJECT,
);

/** Another form on that page: what the registry will show. */
export const CorrectDetails = z.object(
  {
    id: text(256),
    label: text(256).optional(),
    class: GIVEN.class.transform((given) => given ?? 'S'),
    region: GIVEN.region.transform((given) => given ?? UNKNOWN_REGION),
  },
  OBJECT,
);

/** Any text: one that cannot be a registration's id gets the same error as an unknown id. */
export const OfRegistration = z.object({ id: text(256) }, OBJECT);

export const CancelRegistration = OfRegistration.extend({ proof: Cancel.shape.proof });

export const LabelOrName = z.object({ name: text(256), label: text(256).optional() }, OBJECT);
