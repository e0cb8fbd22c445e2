import { z } from 'zod';
import { signedComponents } from '@mesh-registry/protocol/keys/node-signature.ts';
import { isReservedNodeId } from '@mesh-registry/protocol/rest/fields.schema.ts';
import {
  Ping,
  isPingField,
  type DryPingAnswer,
  type PingAnswer,
  type PingDescription,
} from '@mesh-registry/protocol/rest/mesh.schema.ts';
import {
  NEXT_PING_MS,
  OFFLINE_AFTER_MS,
  PING_BODY_BYTES,
} from '@mesh-registry/protocol/values.schema.ts';
import { peers, type PeerRow } from '#db/schema/index.ts';
import type { Config } from '#server/config.ts';
import { parse, AppError } from '#server/common/errors.schema.ts';
import type { Signal } from '#server/common/rooms.ts';
import { unavailable } from '#server/common/with-retry.ts';
import {
  groupedUpsert,
  GroupWriter,
  isFirstVersion,
  mergeRow,
  type Committed,
} from '#server/live/index.ts';
import { withoutLimit, type ServiceContext, type WriteOptions } from '#server/context.ts';
import type { IdentityService } from '#server/identity/index.ts';
import { labelInstead, publishableLabel } from './label.ts';
import { PEER_MERGES, pingWrite, presentPeer, type PingWrite } from './peer.ts';

/** What heartbeats need beyond the service context. */
export interface PingContext extends ServiceContext {
  readonly identity: Pick<IdentityService, 'storing'>;
}

/**
 * Stores a heartbeat. Resolves after the row is committed and the read model shows it.
 * @param options.newIds the limit of new nodes; it is not asked for a node that is known
 * @throws AppError `invalid_body`, `reserved_node_id`, `blocked`, `signature_required`, `signature_invalid` (it was sent
 *   before), `rate_limited`, `unavailable`
 */
export async function ping(
  context: PingContext,
  writer: PingWriter,
  body: unknown,
  { newIds = withoutLimit, signer = null }: WriteOptions = {},
  now = context.clock(),
): Promise<PingAnswer> {
  const { write, dropped } = prepare(context, body, now);
  const commit = () => writer.write(write);
  const store = context.identity.storing(write.id, 'heartbeat', signer, now, commit);
  const { row, isNew } = await (context.live.peers.get(write.id)
    ? store()
    : newIds(1, store, ({ isNew }) => (isNew ? 1 : 0)));
  return {
    ok: true,
    isNew,
    message: isNew
      ? 'Welcome. Your node is on the map. Registering a public name is a separate step.'
      : 'Heartbeat received.',
    peer: presentPeer(row, context.clock(), context.config.coordinateGrid),
    dropped,
    nextPingMs: NEXT_PING_MS,
  };
}

/**
 * What {@link ping} would answer, without storing anything.
 * @throws AppError as ping, but for what only storing can tell
 */
export async function dryPing(
  context: ServiceContext,
  body: unknown,
  { newIds = withoutLimit }: Pick<WriteOptions, 'newIds'> = {},
  now = context.clock(),
): Promise<DryPingAnswer> {
  const { write, dropped } = prepare(context, body, now);
  const known = context.live.peers.get(write.id);
  if (!known)
    await newIds(
      1,
      () => Promise.resolve(),
      () => 0,
    );
  return {
    ok: true,
    dryRun: true,
    isNew: !known,
    message: 'This heartbeat would be accepted. Nothing was stored.',
    peer: presentPeer(
      known ? mergeRow(PEER_MERGES, write, known) : write,
      now,
      context.config.coordinateGrid,
    ),
    dropped,
    nextPingMs: NEXT_PING_MS,
  };
}

/** The row that a heartbeat writes. @throws AppError `invalid_body`, `reserved_node_id`, `blocked` */
function prepare(
  context: ServiceContext,
  body: unknown,
  now: number,
): { write: PingWrite; dropped: string[] } {
  const { ping, dropped } = readPing(body);
  requireUnblockedNode(context, ping.nodeId);
  if (ping.label === undefined && dropped.includes('label')) {
    const stored = context.live.peers.get(ping.nodeId)?.label;
    ping.label = labelInstead(stored, ping.nodeId) ?? undefined;
  }
  return { write: pingWrite(ping, new Date(now), context.config.coordinateGrid), dropped };
}

/**
 * Parses the body of a ping: drops and names unknown keys and nested values, rejects wrong values of
 * known keys, and cleans the label.
 */
function readPing(body: unknown): { ping: Ping; dropped: string[] } {
  const dropped: string[] = [];
  let allowed: unknown = body;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    const fields: Partial<Record<keyof Ping, unknown>> = {};
    for (const [key, value] of Object.entries(body))
      if (isPingField(key) && (typeof value !== 'object' || value === null)) fields[key] = value;
      else dropped.push(key);
    allowed = fields;
  }
  const ping = parse(Ping, allowed, 'invalid_body');
  requireUnreservedNodeId(ping.nodeId);
  const label = publishableLabel(ping.label) ?? undefined;
  if (ping.label !== undefined && label === undefined) dropped.push('label');
  ping.label = label;
  return { ping, dropped };
}

interface PingWritten {
  row: PeerRow;
  /** True for a node's very first ping. */
  isNew: boolean;
}

export type PingWriter = GroupWriter<PingWrite, PingWritten>;

/** Commits heartbeats in groups, and applies them to the read model. */
export function createPingWriter(
  { db, live, feed }: Pick<ServiceContext, 'db' | 'live' | 'feed'>,
  committed: Signal<Committed>,
): PingWriter {
  const upsert = groupedUpsert(db, feed, peers, PEER_MERGES);
  return new GroupWriter({
    maxGroup: 1000,
    maxWaiting: 50_000,
    overflow: unavailable,
    async commit(pings) {
      const rows = await upsert(pings);
      live.peers.apply(rows);
      committed.emit({ kind: 'pings', size: pings.length });
      const welcomed = new Set<string>();
      return rows.map((row) => {
        const isNew = isFirstVersion(row.rev, row.joinedAt) && !welcomed.has(row.id);
        welcomed.add(row.id);
        return { row, isNew };
      });
    },
  });
}

/** @throws AppError `reserved_node_id` for the bootstrap peer's own id */
export function requireUnreservedNodeId(nodeId: string): void {
  if (isReservedNodeId(nodeId))
    throw new AppError(
      'reserved_node_id',
      'The node id "genesis" belongs to the bootstrap peer. Choose another nodeId.',
      { issues: [{ path: 'nodeId', message: 'is reserved' }] },
    );
}

/** @throws AppError `blocked` if reviewers have blocked the node */
export function requireUnblockedNode({ live }: Pick<ServiceContext, 'live'>, nodeId: string): void {
  if (live.nodes.isBlocked(nodeId)) throw nodeBlocked();
}

/** The error for what a node asks that reviewers have blocked. */
export const nodeBlocked = (): AppError =>
  new AppError(
    'blocked',
    'This node is blocked: its reports are rejected and hidden. Contact the network operator.',
  );

/** The machine-readable description in GET /api/mesh/ping, generated from the schema that the POST parses with. */
export function describePing(config: Config): PingDescription {
  // A copy without the id of Ping, which would turn the schema into a reference.
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(Ping.shape), { io: 'input' });
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    { required: required.has(name), ...(typeof property === 'object' ? property : {}) },
  ]);
  return {
    ok: true,
    endpoint: 'POST /api/mesh/ping',
    auth: {
      header: 'Authorization',
      scheme: 'Bearer',
      required: config.production,
    },
    signature: {
      covers: [...signedComponents(true)],
      authority: config.publicUrl === undefined ? null : new URL(config.publicUrl).host,
    },
    maxBodyBytes: PING_BODY_BYTES,
    fields: Object.fromEntries(fields) as PingDescription['fields'],
    filters: [
      'Keys other than these fields are dropped, and listed in "dropped".',
      'Nested values (objects and arrays) are dropped.',
      `Coordinates are rounded to a grid of ${config.coordinateGrid} degrees before they are stored.`,
      'Markup, script patterns, and control and bidirectional characters are removed from the label.',
      'A label that looks like an IP address or hostname, or like “Genesis”, is dropped.',
      'IP addresses and hostnames are not accepted, stored or published.',
    ],
    schema,
    nextPingMs: NEXT_PING_MS,
    offlineAfterMs: OFFLINE_AFTER_MS,
  };
}
