import { z } from 'zod';
import { NodeKey } from '@mesh-registry/protocol/keys/node-key.schema.ts';
import { NodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { REASON_MAX } from '@mesh-registry/protocol/values.schema.ts';
import { OBJECT, Page, text, WholeNumber } from '#server/common/input.schema.ts';
import { HISTORY_EVENTS, HISTORY_QUERY_MAX, readDay } from '#server/audit/history.schema.ts';
import { NAMES_QUERY_MAX } from '#server/names/reserved-names.schema.ts';
import { MATCH_MAX } from '#server/nodes/removal.schema.ts';
import {
  ImportPayments,
  Notes,
  PaymentsInput,
  PreviewExport,
} from '#server/payments/import.schema.ts';
import { accountsRouter, joinRouter, sessionRouter } from './accounts.ts';
import { reviewerMutation, reviewerProcedure, reviewerQuery, router } from './init.ts';
import { queueRouter, registrationsRouter } from './queue.ts';

/** A day, or empty. */
const Day = text(32)
  .refine((day) => day === '' || readDay(day) !== '', 'must be a day, such as 2026-11-20')
  .default('');

/** Payments, for reviewers. */
const paymentsRouter = router({
  list: reviewerProcedure
    .input(PaymentsInput)
    .query(({ ctx, input }) => ctx.services.payments.list(input)),
  /** How many payments a person has to look at. */
  countNeedingLook: reviewerProcedure.query(({ ctx }) => ctx.services.payments.countNeedingLook()),
  /** Registrations that can be accepted in bulk, and those that are left out. */
  paidAndWaiting: reviewerProcedure.query(({ ctx }) => ctx.services.review.paidAndWaiting()),
  /** Over HTTP a call has at most 16 KiB: whole exports go through the form of /review/payments. */
  import: reviewerProcedure
    .input(ImportPayments)
    .mutation(({ ctx, input }) => ctx.services.payments.import(input, ctx.reviewer.email)),
  /** The first rows of an export, for choosing its columns. Changes nothing; a file does not fit in a query. */
  preview: reviewerProcedure
    .input(PreviewExport)
    .mutation(({ ctx, input }) => ctx.services.payments.preview(input.text)),
  accept: reviewerProcedure.input(Notes).mutation(async ({ ctx, input: { notes } }) => {
    await ctx.services.review.acceptTogether(notes, ctx.reviewer.email);
    return ctx.services.review.acceptOutcomes(notes);
  }),
  /** The registrations with these notes after they were accepted, or why they were not. */
  outcomes: reviewerProcedure
    .input(Notes)
    .query(({ ctx, input }) => ctx.services.review.acceptOutcomes(input.notes)),
});

// The service reports everything wrong with a form at once; this only bounds the input.
const FormText = text(1000);

/** Names that nobody can register. */
const namesRouter = router({
  list: reviewerProcedure
    .input(z.object({ q: text(NAMES_QUERY_MAX).default(''), page: Page }, OBJECT))
    .query(({ ctx, input }) => ctx.services.names.listReserved(input)),
  reserve: reviewerProcedure
    .input(z.object({ name: FormText, reason: FormText, until: FormText.default('') }, OBJECT))
    .mutation(async ({ ctx, input }) => ({
      name: await ctx.services.names.reserve(input, ctx.reviewer.email),
    })),
  release: reviewerProcedure
    .input(z.object({ name: FormText, reason: FormText }, OBJECT))
    .mutation(({ ctx, input }) => ctx.services.names.release(input, ctx.reviewer.email)),
});

const NodeAndReason = z.object({ nodeId: NodeId, reason: text(REASON_MAX) }, OBJECT);

const RemovalFilter = z.object({ match: text(MATCH_MAX).default(''), silentSince: Day }, OBJECT);
const Removal = RemovalFilter.extend({ expected: WholeNumber, reason: text(REASON_MAX) });

/** Nodes that are blocked, and nodes that are removed. */
const nodesRouter = router({
  blocked: reviewerProcedure.query(({ ctx }) =>
    ctx.services.nodes.blocked().map(({ id, reason, blockedBy, blockedAt }) => ({
      nodeId: id,
      reason,
      blockedBy,
      blockedAt: blockedAt.toISOString(),
    })),
  ),
  block: reviewerMutation(NodeAndReason, ({ nodes }, input) => nodes.block(input)),
  unblock: reviewerMutation(NodeAndReason, ({ nodes }, input) => nodes.unblock(input)),
  /** The key to which a node's id is pinned; null: none, or no id. */
  key: reviewerProcedure
    .input(z.object({ nodeId: text(MATCH_MAX) }, OBJECT))
    .query(({ ctx, input }) => {
      const pin = ctx.services.identity.pinOf(input.nodeId);
      return pin
        ? { nodeId: pin.id, key: pin.key, source: pin.source, pinnedAt: pin.pinnedAt.toISOString() }
        : null;
    }),
  /** Every key that has to do with a node, and the links that its operator needs after a reset. */
  keys: reviewerQuery(z.object({ nodeId: NodeId }, OBJECT), ({ identity }, { nodeId }) =>
    identity.keysOf(nodeId),
  ),
  /** Revokes a key that is lost or stolen for good; without a key, the one to which the node is pinned. */
  resetKey: reviewerMutation(
    NodeAndReason.extend({ key: NodeKey.optional() }),
    ({ identity }, input) => identity.reset(input),
  ),
  /** Pins a node to a key that has proved a registration of it. */
  pinKey: reviewerMutation(NodeAndReason.extend({ key: NodeKey }), ({ identity }, input) =>
    identity.pin(input),
  ),
  /** How many nodes `remove` would remove, and the first of them. */
  removable: reviewerProcedure
    .input(RemovalFilter)
    .query(({ ctx, input }) => ctx.services.nodes.removable(input)),
  /** Removes all nodes that match, for good, unless they are more than `expected`. */
  remove: reviewerMutation(Removal, async ({ nodes }, { match, silentSince, ...request }) => ({
    removed: await nodes.removeMatching({ filter: { match, silentSince }, ...request }),
  })),
});

const SearchText = text(HISTORY_QUERY_MAX).default('');

const HistoryFilter = z.object(
  {
    q: SearchText,
    actor: SearchText,
    event: z.enum(HISTORY_EVENTS, 'must be a kind of event').nullable().default(null),
    from: Day,
    until: Day,
  },
  OBJECT,
);

const TIMESTAMP = 'must be an ISO 8601 timestamp';
/** A moment comes as text from JSON, and as a Date from `readHistoryQuery`. */
const Moment = z
  .union(
    [
      z.date(TIMESTAMP),
      text(40)
        .check(z.iso.datetime(TIMESTAMP))
        .transform((at) => new Date(at)),
    ],
    TIMESTAMP,
  )
  // Like the days: a timestamp can name years that the database does not know.
  .refine((at) => at.toISOString().startsWith('20'), 'must be in this century');
const Cursor = z
  .object({ at: Moment, id: text(100) }, OBJECT)
  .nullable()
  .default(null);

/** The audit log. */
const historyRouter = router({
  page: reviewerProcedure
    .input(HistoryFilter.extend({ before: Cursor, after: Cursor }))
    .query(({ ctx, input }) => ctx.services.audit.page(input)),
  /** Every entry that the filter matches, newest first, in batches: for the CSV download. */
  export: reviewerProcedure
    .input(HistoryFilter)
    .subscription(({ ctx, input }) => ctx.services.audit.export(input)),
  actors: reviewerProcedure.query(({ ctx }) => ctx.services.audit.actors()),
});

/**
 * The reviewers' part of the typed API. Every procedure is for reviewers or administrators, except those of
 * `session` and `join`, by which somebody becomes one.
 */
export const reviewRouter = router({
  history: historyRouter,
  names: namesRouter,
  accounts: accountsRouter,
  nodes: nodesRouter,
  payments: paymentsRouter,
  queue: queueRouter,
  registrations: registrationsRouter,
  session: sessionRouter,
  join: joinRouter,
});
