import type { z } from 'zod';
import {
  OfHolder,
  SaveNotifications,
  SwitchNotifications,
} from '#server/outbox/notifications.schema.ts';
import type { Services } from '#server/services.ts';
import { lookupProcedure, publicProcedure, router } from './init.ts';

type Row = Awaited<ReturnType<Services['registration']['row']>>;

/** A change of the notifications of a registration, counted like every other change of one. */
const change = <Input extends z.ZodType<{ id: string }>, Output>(
  input: Input,
  act: (notifications: Services['notifications'], row: Row, input: z.output<Input>) => Output,
) =>
  publicProcedure
    .use(async ({ ctx, next }) => {
      ctx.limits.countRegistration(ctx.client());
      return next();
    })
    .input(input)
    .mutation(async ({ ctx, input }) => {
      const sent = input as z.output<Input>;
      return act(ctx.services.notifications, await ctx.services.registration.row(sent.id), sent);
    });

/** For whoever has the registration's id. Part of the router `registry`. */
export const notificationsRouter = router({
  /** Null if nothing is set up. */
  get: lookupProcedure.input(OfHolder).query(async ({ ctx, input }) => {
    const { id, name, nodeId, status } = await ctx.services.registration.row(input.id);
    const settings = await ctx.services.notifications.settings(id);
    return { registration: { id: input.id, name, nodeId, status }, settings };
  }),
  save: change(SaveNotifications, (notifications, row, input) => notifications.save(row, input)),
  switch: change(SwitchNotifications, (notifications, row, { enabled }) =>
    notifications.switch(row, enabled),
  ),
  renewSecret: change(OfHolder, (notifications, row) => notifications.renewSecret(row)),
  remove: change(OfHolder, (notifications, { id }) => notifications.remove(id)),
  /** Sends a message now, and says how the receiver answered. */
  test: change(OfHolder, (notifications, row) => notifications.test(row)),
});
