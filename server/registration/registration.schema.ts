import { z } from 'zod';
import { NodeClass, REGION_RULE, SentRegion } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { emptyOr, OBJECT, text } from '#server/common/input.schema.ts';
import { Cancel, Confirm, Start } from '@mesh-registry/protocol/rest/register.schema.ts';

/** What the procedures of a registration take: the bodies of the REST interface, and what only the pages ask. */

const START = Start.omit({ action: true }).extend({
  // A form sends an empty text for what was left out.
  class: emptyOr(NodeClass, 'must be S, M or L').transform((given) => given ?? 'S'),
  region: emptyOr(SentRegion, `${REGION_RULE}, and no IP address`).transform(
    (given) => given ?? 'ZZ',
  ),
});

export const StartRegistration = START.extend({ idempotencyKey: emptyOr(text(255), 'too long') });

export const StartedWith = START.extend({ idempotencyKey: text(255) });

export const ConfirmRegistration = Confirm.omit({ action: true });

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
    class: START.shape.class,
    region: START.shape.region,
  },
  OBJECT,
);

/** Any text: one that cannot be a registration's id gets the same error as an unknown id. */
export const OfRegistration = z.object({ id: text(256) }, OBJECT);

export const CancelRegistration = OfRegistration.extend({ proof: Cancel.shape.proof });

export const LabelOrName = z.object({ name: text(256), label: text(256).optional() }, OBJECT);
