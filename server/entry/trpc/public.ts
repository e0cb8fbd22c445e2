import { tracked } from '@trpc/server';
import { z } from 'zod';
import { Computes, ComputesQuery } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { NodeClass, NodeId, Region, SentName } from '@mesh-registry/protocol/rest/fields.schema.ts';
import {
  HistoryDaysInput,
  NetworkHistory,
  type NodeHistory,
} from '@mesh-registry/protocol/rest/history.schema.ts';
import {
  Latitude,
  Longitude,
  Mesh,
  PeerStatus,
  Places,
} from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { RegistrationId } from '@mesh-registry/protocol/rest/register.schema.ts';
import { RegisterInfo, Registry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import { NODE_CLASSES, PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';
import { OBJECT, Page, text } from '#server/common/input.schema.ts';
import type { Answer, Change, EventFrame } from '#server/live/index.ts';
import {
  AS_JOINED,
  isAsJoined,
  isFiltered,
  JOINED_WITHIN,
  type JoinedWithin,
  NODE_SORTS,
  type PeerFilter,
  SEARCH_MAX as FILTER_TEXT_MAX,
} from '#server/mesh/mesh-query.schema.ts';
import {
  AnswerReviewer,
  CancelRegistration,
  ConfirmRegistration,
  CorrectDetails,
  LabelOrName,
  OfRegistration,
  StartedWith,
  StartRegistration,
  SubmitConfirmation,
} from '#server/registration/registration.schema.ts';
import { SEARCH_MAX } from '#server/search/search.schema.ts';
import type { NodeDetails } from '#server/nodes/index.ts';
import type { NameDetails } from '#server/registry/index.ts';
import type { Services } from '#server/services.ts';
import { lookupProcedure, NEVER, publicProcedure, Resume, router } from './init.ts';
import { notificationsRouter } from './notifications.ts';

/** The procedures that need no session: what the public pages and TypeScript clients call. */

/** Most peers on one page. */
const LIMIT_MAX = 100;

const Limit = z
  .int('must be a whole number')
  .min(1, 'must be 1 or more')
  .max(LIMIT_MAX, `must be at most ${LIMIT_MAX}`)
  .default(LIMIT_MAX);

const joinedWithin = Object.keys(JOINED_WITHIN) as JoinedWithin[];

const FilterInput = z.object(
  {
    q: text(FILTER_TEXT_MAX).default(''),
    status: z
      .array(PeerStatus, 'must be a list')
      .max(PEER_STATUSES.length, `must have at most ${PEER_STATUSES.length} elements`)
      .default([]),
    // One class, or none, is what earlier clients send.
    class: z
      .union(
        [NodeClass, z.array(NodeClass).max(NODE_CLASSES.length), z.null()],
        `must be a list of ${NODE_CLASSES.join(', ')}`,
      )
      .transform((size) => (size === null ? [] : typeof size === 'string' ? [size] : size))
      .default([]),
    region: Region.nullable().default(null),
    joined: z
      .enum(joinedWithin, `must be ${joinedWithin.join(', ')}`)
      .nullable()
      .default(null),
  },
  OBJECT,
) satisfies z.ZodType<PeerFilter>;

const PeersInput = FilterInput.extend({ page: Page, limit: Limit });
const ListInput = PeersInput.extend({
  sort: z.enum(NODE_SORTS, `must be ${NODE_SORTS.join(', ')}`).default(AS_JOINED.sort),
  descending: z.boolean('must be true or false').default(AS_JOINED.descending),
});
const PeersAtInput = PeersInput.extend({ lat: Latitude, lng: Longitude });
const NodeInput = z.object({ id: NodeId }, OBJECT);

/** A query that answers with the bytes of a REST answer. @param _ the schema of what is in them */
const answerQuery = <Input extends z.ZodType, Output extends z.ZodType>(
  input: Input,
  _: Output,
  answer: (services: Services, input: z.output<Input>) => Answer | Promise<Answer>,
) =>
  publicProcedure
    .meta({ shared: { input, answer } })
    .input(input)
    .query(async ({ ctx, input }) => {
      const made = await answer(ctx.services, input as z.output<Input>);
      const { body } = await made.in('identity');
      return JSON.parse(body.toString()) as z.output<Output>;
    });

/** A subscription to changes, each with the id from which a client resumes. */
const changesSubscription = <Head, Row, More extends object = object>(
  events: (
    services: Services,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ) => AsyncIterable<EventFrame<Head, Row, More>>,
) =>
  publicProcedure
    .meta({
      shared: {
        input: Resume,
        events: (services, input: z.output<typeof Resume>, signal) =>
          events(services, input?.lastEventId, signal),
      },
    })
    .input(Resume)
    .subscription(async function* ({ ctx, input, signal }) {
      for await (const { id, data } of events(ctx.services, input?.lastEventId, signal ?? NEVER))
        yield tracked(
          id,
          JSON.parse(Buffer.concat(data).toString()) as Omit<Change<Head, Row>, 'id'> & More,
        );
    });

const { lastEventId } = Resume.unwrap().shape;

const FollowedNode = z.object({ id: NodeId, lastEventId }, OBJECT);
type FollowedNode = z.output<typeof FollowedNode>;

const nodeEvents = ({ nodes }: Services, { id, lastEventId }: FollowedNode, signal: AbortSignal) =>
  nodes.changes(id, lastEventId, signal);

const FollowedName = z.object({ name: SentName, lastEventId }, OBJECT);
type FollowedName = z.output<typeof FollowedName>;

const nameEvents = (
  { registry }: Services,
  { name, lastEventId }: FollowedName,
  signal: AbortSignal,
) => registry.changes(name, lastEventId, signal);

/** The map. Nodes send their heartbeats over REST, with their credential. */
const meshRouter = router({
  get: answerQuery(z.void(), Mesh, ({ mesh }) => mesh.answer()),
  changes: changesSubscription(({ mesh }, lastEventId, signal) =>
    mesh.changes(lastEventId, signal),
  ),
  places: answerQuery(z.void(), Places, ({ mesh }) => mesh.places()),
  placeChanges: changesSubscription(({ mesh }, lastEventId, signal) =>
    mesh.placeChanges(lastEventId, signal),
  ),
  /** The places of the peers that match a filter: for those by text and by age, which no place can tell. */
  matchingPlaces: lookupProcedure.input(FilterInput).query(async ({ ctx, input }) => {
    await ctx.limits.turnToScan();
    return ctx.services.mesh.matchingPlaces(input, (nodes) =>
      ctx.limits.countScan(ctx.client(), 'places', nodes),
    );
  }),
  /** One page of the peers that match. */
  list: publicProcedure.input(ListInput).query(async ({ ctx, input }) => {
    const { page, limit, sort, descending, ...filter } = input;
    const order = { sort, descending };
    if (!isAsJoined(order)) {
      await ctx.limits.turnToScan();
      return ctx.services.mesh.listInOrder(filter, order, page, limit, (nodes) =>
        ctx.limits.countScan(ctx.client(), 'nodesInOrder', nodes),
      );
    }
    // Without a filter a page costs the same for any number of peers.
    if (isFiltered(filter)) {
      ctx.limits.countScan(ctx.client(), 'nodes', ctx.services.mesh.size());
      await ctx.limits.turnToScan();
    }
    return ctx.services.mesh.list(filter, page, limit);
  }),
  peersAt: publicProcedure.input(PeersAtInput).query(async ({ ctx, input }) => {
    ctx.limits.countScan(ctx.client(), 'nodesAt', ctx.services.mesh.size());
    await ctx.limits.turnToScan();
    const { lat, lng, page, limit, ...filter } = input;
    return ctx.services.mesh.peersAt({ lat, lng }, filter, page, limit);
  }),
  /** Null if no node with this id has sent a heartbeat, or it is blocked. */
  node: publicProcedure
    .input(NodeInput)
    .query(({ ctx, input }) => ctx.services.mesh.peer(input.id)),
  /** What the map says about a node besides its heartbeats: its last 30 days, its names and its offers. */
  summary: lookupProcedure
    .input(NodeInput)
    .query(({ ctx, input }) => ctx.services.nodes.summary(input.id)),
  /** Everything known about one node, whenever it changes. A `lastEventId` that is still right gets no event. */
  nodeChanges: publicProcedure
    .meta({ shared: { input: FollowedNode, events: nodeEvents } })
    .input(FollowedNode)
    .subscription(async function* ({ ctx, input, signal }) {
      for await (const { id, data } of nodeEvents(ctx.services, input, signal ?? NEVER))
        yield tracked(id, JSON.parse(Buffer.concat(data).toString()) as NodeDetails);
    }),
});

const Days = z.object({ days: HistoryDaysInput }, OBJECT).default({ days: 1 });

/** The history of the network and of single nodes. */
const historyRouter = router({
  network: answerQuery(Days, NetworkHistory, ({ uptime }, { days }) => uptime.network(days)),
  node: lookupProcedure
    .input(z.object({ node: NodeId, days: HistoryDaysInput }, OBJECT))
    .query(async ({ ctx, input }) => {
      const { content } = await ctx.services.uptime.node(input.node, input.days);
      return JSON.parse(content.toString()) as NodeHistory;
    }),
});

/** Offers that somebody compares. */
const SOME_OFFERS_MAX = 4;

const SomeOffersInput = z.object(
  {
    keys: z
      .array(text(97), 'must be a list')
      .max(SOME_OFFERS_MAX, `must have at most ${SOME_OFFERS_MAX} elements`),
  },
  OBJECT,
);

const OfferNodesAnswer = z.object({
  nodes: z.record(z.string(), z.tuple([Region, z.number().nullable()])),
});

const OffersInput = z.object({
  available: z.boolean('must be true or false').default(false),
  visibility: ComputesQuery.shape.visibility,
});

/** The directory of compute offers. Nodes announce theirs over REST, with their credential. */
const computesRouter = router({
  list: answerQuery(OffersInput, Computes, ({ computes }, input) => computes.answer(input)),
  changes: changesSubscription(({ computes }, lastEventId, signal) =>
    computes.changes(lastEventId, signal),
  ),
  /** The listed offers with these names or ids, at most four, with the head of the list. */
  some: publicProcedure.input(SomeOffersInput).query(({ ctx, input }) => {
    const { head, offers } = ctx.services.computes.find(input.keys);
    return { ...head, computes: offers.filter((offer) => offer !== null) };
  }),
  /** Region and uptime over the last 30 days of the nodes that announce offers, by their ids. */
  nodes: answerQuery(z.void(), OfferNodesAnswer, ({ nodes }) => nodes.ofOffersAnswer()),
});

const CandidateName = z.object({ name: text(256) }, OBJECT);

/** Names: active, available, and alternatives to one that is not. */
const nameProcedures = {
  list: answerQuery(z.void(), Registry, ({ registry }) => registry.answer()),
  info: answerQuery(z.void(), RegisterInfo, ({ registry }) => registry.infoAnswer()),
  availability: publicProcedure
    .input(CandidateName)
    .query(({ ctx, input }) => ctx.services.names.availability(input.name)),
  /** `near` says more about what is named: its place, the label of its node. */
  alternatives: publicProcedure
    .input(CandidateName.extend({ near: z.array(text(64)).max(2).optional() }))
    .query(({ ctx, input }) => ctx.services.names.alternatives(input.name, input.near)),
  /** Everything known about one name, whenever it changes. A `lastEventId` that is still right gets no event. */
  nameChanges: publicProcedure
    .meta({ shared: { input: FollowedName, events: nameEvents } })
    .input(FollowedName)
    .subscription(async function* ({ ctx, input, signal }) {
      for await (const { id, data } of nameEvents(ctx.services, input, signal ?? NEVER))
        yield tracked(id, JSON.parse(Buffer.concat(data).toString()) as NameDetails);
    }),
};

/** The operator's side of a registration. */
const registrationProcedures = {
  registration: lookupProcedure
    .input(z.object({ id: RegistrationId }, OBJECT))
    .query(async ({ ctx, input }) => ctx.withPage(await ctx.services.registration.get(input.id))),
  /** The registration with its progress, for the page that its operator follows. */
  follow: publicProcedure.input(OfRegistration).query(async ({ ctx, input }) => {
    const followed = await ctx.services.registration.status(input.id, () =>
      ctx.limits.countLookup(ctx.client()),
    );
    return { ...followed, registration: ctx.withPage(followed.registration) };
  }),
  start: publicProcedure
    .input(StartRegistration)
    .mutation(async ({ ctx, input: { idempotencyKey, ...input } }) => {
      const client = ctx.client();
      ctx.limits.countRegistration(client);
      return ctx.withPage(
        await ctx.services.registration.start(
          { action: 'start', ...input },
          { idempotencyKey, client, network: ctx.network() },
        ),
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
    ctx.limits.countRegistration(client);
    return ctx.withPage(
      await ctx.services.registration.confirm(input, { client, network: ctx.network() }),
    );
  }),
  /** Confirms the payment. A confirmation text that was sent before is replaced, unlike by `confirm`. */
  submitConfirmation: publicProcedure.input(SubmitConfirmation).mutation(async ({ ctx, input }) => {
    const client = ctx.client();
    ctx.limits.countRegistration(client);
    const { corrects, ...confirmation } = input;
    return ctx.services.registration.submitConfirmation(confirmation, corrects !== undefined, {
      client,
    });
  }),
  /** Answers a question of a reviewer. The same text again is the same answer. */
  answer: publicProcedure.input(AnswerReviewer).mutation(async ({ ctx, input }) => {
    ctx.limits.countRegistration(ctx.client());
    return ctx.withPage(await ctx.services.registration.answer(input));
  }),
  cancel: publicProcedure.input(CancelRegistration).mutation(async ({ ctx, input }) => {
    ctx.limits.countRegistration(ctx.client());
    return ctx.withPage(await ctx.services.registration.cancel(input, ctx.network()));
  }),
  /** Corrects label, class and region until a reviewer has decided. */
  correctDetails: publicProcedure
    .input(CorrectDetails)
    .mutation(async ({ ctx, input: { id, ...details } }) => {
      ctx.limits.countRegistration(ctx.client());
      return ctx.withPage(await ctx.services.registration.correctDetails(id, details));
    }),
  /** The label that a start with these answers gets. @throws AppError `invalid_body` */
  displayLabel: publicProcedure
    .input(LabelOrName)
    .query(({ ctx, input }) => ctx.services.registration.labelOrName(input)),
};

/** Nodes, names and compute offers by a part of their texts. */
const search = publicProcedure
  .input(z.object({ q: text(SEARCH_MAX) }, OBJECT))
  .query(async ({ ctx, input }) => {
    ctx.limits.countScan(ctx.client(), 'texts', ctx.services.search.size());
    await ctx.limits.turnToScan();
    return ctx.services.search.find(input.q);
  });

const statusRouter = router({
  summary: publicProcedure.query(({ ctx }) => ctx.services.status.summary()),
});

export const publicProcedures = {
  mesh: meshRouter,
  history: historyRouter,
  computes: computesRouter,
  registry: router({
    ...nameProcedures,
    ...registrationProcedures,
    notifications: notificationsRouter,
  }),
  search,
  status: statusRouter,
};
