import { z } from 'zod';
import { emptyOr, OBJECT, text, WholeNumber } from '#server/common/input.schema.ts';
import {
  ADDRESS_MAX,
  OFFLINE_MINUTES,
  TARGET_KINDS,
} from '@mesh-registry/protocol/values.schema.ts';

/** A checkbox: absent where it is not ticked. */
const Ticked = z
  .union([z.boolean(), z.literal('on')], 'must be true or false')
  .optional()
  .transform((value) => value === true || value === 'on');

const { min, max, usual } = OFFLINE_MINUTES;
const MINUTES_RULE = `must be a whole number from ${min} to ${max}`;

/** Any text: one that cannot be a registration's id gets the same error as an unknown id. */
const Id = text(256);

export const OfHolder = z.object({ id: Id }, OBJECT);

export const SaveNotifications = z.object(
  {
    id: Id,
    kind: z.enum(TARGET_KINDS, 'must be webhook or ntfy'),
    /** Left out or empty: the present one stays. */
    address: emptyOr(text(ADDRESS_MAX), `must be at most ${ADDRESS_MAX} characters`),
    onDecision: Ticked,
    onOffline: Ticked,
    offlineMinutes: emptyOr(
      WholeNumber.pipe(z.int().min(min, MINUTES_RULE).max(max, MINUTES_RULE)),
      MINUTES_RULE,
    ).transform((minutes) => minutes ?? usual),
    onReturn: Ticked,
  },
  OBJECT,
);
export type SaveNotifications = z.output<typeof SaveNotifications>;

export const SwitchNotifications = z.object({ id: Id, enabled: Ticked }, OBJECT);
