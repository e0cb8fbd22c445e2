import { lookupProcedure, publicProcedure } from './init.ts';
import { OBJECT } from '#server/common/input.schema.ts';
import { z } from 'zod';
import {
  CancelRegistration,
  ConfirmRegistration,
  CorrectDetails,
  DisplayLabel,
  OfRegistration,
  StartedWith,
  StartRegistration,
  SubmitConfirmation,
} from '#server/registration/registration.schema.ts';
import { RegistrationId } from '@mesh-registry/protocol/rest/register.schema.ts';

/** The operator's side of a registration. Part of the router `registry`. */
export const registrationProcedures = {
  registration: lookupProcedure
    .input(z.object({ id: RegistrationId }, OBJECT))
    .query(({ ctx, input }) => ctx.services.registration.get(input.id)),
  /** The registration with its progress, for the page that its operator follows. */
  follow: publicProcedure
    .input(OfRegistration)
    .query(({ ctx, input }) =>
      ctx.services.registration.follow(input.id, () => ctx.limits.lookup(ctx.client())),
    ),
  start: publicProcedure
    .input(StartRegistration)
    .mutation(async ({ ctx, input: { idempotencyKey, ...input } }) => {
      const client = ctx.client();
      await ctx.limits.registration(client);
      return ctx.services.registration.start(
        { action: 'start', ...input },
        { idempotencyKey, client, network: ctx.origin() },
      );
    }),
  /** The outcome of a start with this key. */
  startedWith: lookupProcedure
    .input(StartedWith)
    .query(({ ctx, input: { idempotencyKey, ...input } }) =>
      ctx.services.registration.startedWith(idempotencyKey, { action: 'start', ...input }),
    ),
  confirm: publicProcedure.input(ConfirmRegistration).mutation(async ({ ctx, input }) => {
    const client = ctx.client();
    await ctx.limits.registration(client);
    return ctx.services.registration.confirm(input, { client, network: ctx.origin() });
  }),
  /** Confirms the payment. A confirmation text that was sent before is replaced, unlike by `confirm`. */
  submitConfirmation: publicProcedure.input(SubmitConfirmation).mutation(async ({ ctx, input }) => {
    const client = ctx.client();
    await ctx.limits.registration(client);
    const { corrects, ...confirmation } = input;
    return ctx.services.registration.submitConfirmation(confirmation, corrects !== undefined, {
      client,
    });
  }),
  cancel: publicProcedure.input(CancelRegistration).mutation(async ({ ctx, input }) => {
    await ctx.limits.registration(ctx.client());
    return ctx.services.registration.cancel(input, ctx.origin());
  }),
  /** Corrects label, class and region until a reviewer has decided. */
  correctDetails: publicProcedure
    .input(CorrectDetails)
    .mutation(async ({ ctx, input: { id, ...details } }) => {
      await ctx.limits.registration(ctx.client());
      return ctx.services.registration.correctDetails(id, details);
    }),
  /** The label that a start with these answers gets. @throws AppError `invalid_body` */
  displayLabel: publicProcedure
    .input(DisplayLabel)
    .query(({ ctx, input }) => ctx.services.registration.displayLabel(input)),
};
