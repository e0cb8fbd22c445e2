import { z } from 'zod';
import { NodeClass, NodeId, Region } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { OBJECT, Page, text } from '#server/common/input.schema.ts';
import { lookupProcedure, publicProcedure, router } from './init.ts';
import { answerQuery, changesSubscription } from './shared-bytes.ts';
import {
  isFiltered,
  JOINED_WITHIN,
  SEARCH_MAX,
  type JoinedWithin,
  type PeerFilter,
} from '#server/mesh/mesh-query.schema.ts';
import {
  Latitude,
  Longitude,
  Mesh,
  PeerStatus,
  Places,
} from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';

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
    q: text(SEARCH_MAX).default(''),
    status: z
      .array(PeerStatus, 'must be a list')
      .max(PEER_STATUSES.length, `must have at most ${PEER_STATUSES.length} elements`)
      .default([]),
    class: NodeClass.nullable().default(null),
    region: Region.nullable().default(null),
    joined: z
      .enum(joinedWithin, `must be ${joinedWithin.join(', ')}`)
      .nullable()
      .default(null),
  },
  OBJECT,
) satisfies z.ZodType<PeerFilter>;

const ListInput = FilterInput.extend({ page: Page, limit: Limit });
const PeersAtInput = ListInput.extend({ lat: Latitude, lng: Longitude });
const NodeInput = z.object({ id: NodeId }, OBJECT);

/** The map. Nodes send their heartbeats over REST, with their credential. */
export const meshRouter = router({
  get: answerQuery(z.void(), Mesh, ({ mesh }) => mesh.answer()),
  changes: changesSubscription(({ mesh }, lastEventId, signal) =>
    mesh.changes(lastEventId, signal),
  ),
  places: answerQuery(z.void(), Places, ({ mesh }) => mesh.places()),
  placeChanges: changesSubscription(({ mesh }, lastEventId, signal) =>
    mesh.placeChanges(lastEventId, signal),
  ),
  /** The places of the peers that match a filter: for those by text and by age, which no place can tell. */
  matchingPlaces: lookupProcedure
    .input(FilterInput)
    .query(({ ctx, input }) => ctx.services.mesh.matchingPlaces(input)),
  /** One page of the peers that match. */
  list: publicProcedure.input(ListInput).query(async ({ ctx, input }) => {
    const { page, limit, ...filter } = input;
    // Without a filter a page costs the same for any number of peers.
    if (isFiltered(filter)) await ctx.limits.lookup(ctx.client());
    return ctx.services.mesh.list(filter, page, limit);
  }),
  peersAt: lookupProcedure.input(PeersAtInput).query(({ ctx, input }) => {
    const { lat, lng, page, limit, ...filter } = input;
    return ctx.services.mesh.peersAt({ lat, lng }, filter, page, limit);
  }),
  /** Null if no node with this id has sent a heartbeat, or it is blocked. */
  node: publicProcedure
    .input(NodeInput)
    .query(({ ctx, input }) => ctx.services.mesh.peer(input.id)),
});
