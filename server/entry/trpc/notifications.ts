import { publicProcedure, lookupProcedure, router } from './init.ts';
import {
  OfHolder,
  SaveNotifications,
  SwitchNotifications,
} from '#server/outbox/notifications.schema.ts';

/** Counted like every other change of a registration. */
const changeProcedure = publicProcedure.use(async ({ ctx, next }) => {
  await ctx.limits.countRegistration(ctx.client());
  return next();
});

/** For whoever has the registration's id. Part of the router `registry`. */
export const notificationsRouter = router({
  /** Null if nothing is set up. */
  get: lookupProcedure.input(OfHolder).query(async ({ ctx, input }) => {
    const { id, name, nodeId, status } = await ctx.services.registration.row(input.id);
    const settings = await ctx.services.notifications.settings(id);
    return { registration: { id, name, nodeId, status }, settings };
  }),
  save: changeProcedure.input(SaveNotifications).mutation(async ({ ctx, input }) => {
    const row = await ctx.services.registration.row(input.id);
    return ctx.services.notifications.save(row, input);
  }),
  switch: changeProcedure.input(SwitchNotifications).mutation(async ({ ctx, input }) => {
    const row = await ctx.services.registration.row(input.id);
    await ctx.services.notifications.switch(row, input.enabled);
  }),
  renewSecret: changeProcedure.input(OfHolder).mutation(async ({ ctx, input }) => {
    const row = await ctx.services.registration.row(input.id);
    return ctx.services.notifications.renewSecret(row);
  }),
  remove: changeProcedure.input(OfHolder).mutation(async ({ ctx, input }) => {
    const row = await ctx.services.registration.row(input.id);
    await ctx.services.notifications.remove(row.id);
  }),
  /** Sends a message now, and says how the receiver answered. */
  test: changeProcedure.input(OfHolder).mutation(async ({ ctx, input }) => {
    const row = await ctx.services.registration.row(input.id);
    return ctx.services.notifications.test(row);
  }),
});
