import { sql } from 'drizzle-orm';
import { bigint, check, doublePrecision, index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import {
  NODE_CLASSES,
  PEER_STATUSES,
  PIN_SOURCES,
  VISIBILITIES,
} from '@mesh-registry/protocol/values.schema.ts';
import { list, moment, replicationColumns, type Replicated } from './columns.ts';

/**
 * The last heartbeat of each node, with quantized coordinates.
 * `label`, `class` and `region` are null until the node sends one: defaults are applied on reading, so
 * that a heartbeat without a value keeps the earlier one in the same statement.
 * The primary key is the only index: an index on a column that heartbeats change would prevent
 * in-place (HOT) updates.
 */
export const peers = pgTable(
  'peers',
  {
    id: text().primaryKey(),
    label: text(),
    class: text({ enum: NODE_CLASSES }),
    region: text(),
    status: text({ enum: PEER_STATUSES }).notNull(),
    lat: doublePrecision().notNull(),
    lng: doublePrecision().notNull(),
    joinedAt: moment().notNull(),
    lastSeen: moment().notNull(),
    ...replicationColumns,
  },
  (table) => [
    check('peers_class', sql`${table.class} in (${list(NODE_CLASSES)})`),
    check('peers_status', sql`${table.status} in (${list(PEER_STATUSES)})`),
    check(
      'peers_place',
      sql`${table.lat} between -90 and 90 and ${table.lng} between -180 and 180`,
    ),
  ],
);
export type PeerRow = Replicated<typeof peers.$inferSelect>;

/**
 * The last announcement of each compute offer; `id` is `<nodeId>:<name>`. `label` is null until the node sends
 * one: the default is applied on reading.
 */
export const computes = pgTable(
  'computes',
  {
    id: text().primaryKey(),
    nodeId: text().notNull(),
    name: text().notNull(),
    label: text(),
    image: text().notNull(),
    visibility: text({ enum: VISIBILITIES }).notNull(),
    class: text({ enum: NODE_CLASSES }).notNull(),
    backend: text().notNull(),
    replicas: integer().notNull(),
    freeSlots: integer().notNull(),
    firstSeen: moment().notNull(),
    lastSeen: moment().notNull(),
    ...replicationColumns,
  },
  (table) => [
    check('computes_class', sql`${table.class} in (${list(NODE_CLASSES)})`),
    check('computes_visibility', sql`${table.visibility} in (${list(VISIBILITIES)})`),
    check('computes_capacity', sql`${table.replicas} >= 0 and ${table.freeSlots} >= 0`),
  ],
);
export type ComputeRow = Replicated<typeof computes.$inferSelect>;

/**
 * The keys to which node ids are pinned. `id` is the node's id. A pin that ends is deleted.
 */
export const nodeKeys = pgTable(
  'node_keys',
  {
    id: text().primaryKey(),
    /** The public key, see packages/protocol/keys/node-key.ts. */
    key: text().notNull(),
    source: text({ enum: PIN_SOURCES }).notNull(),
    pinnedAt: moment().notNull(),
    ...replicationColumns,
  },
  (table) => [check('node_keys_source', sql`${table.source} in (${list(PIN_SOURCES)})`)],
);
export type NodeKeyRow = Replicated<typeof nodeKeys.$inferSelect>;

/**
 * Who has signed the last heartbeat of each node, and its last announcement: `id` is the node's id, or `<nodeId>:computes`.
 * What nobody has signed makes no row, but ends the run of a key. A row outlives its node for as long as its last signature could be
 * sent again.
 */
export const nodeSigners = pgTable('node_signers', {
  id: text().primaryKey(),
  /** The public key as text. */
  key: text().notNull(),
  /** The first signature of this unbroken run of the key. */
  since: moment().notNull(),
  /** When the last one came, by the service's clock. */
  signedAt: moment().notNull(),
  /**
   * The first unsigned one after the last signed one, or before this run: later than `signedAt`, it has ended the run. Null:
   * the first run of all, or another key had signed before it.
   */
  unsignedAt: moment(),
  /** The second in which it was signed, by the signer's clock: what is signed before is not accepted any more. */
  created: bigint({ mode: 'number' }).notNull(),
  /** Fingerprints of the nonces of that second that were used, separated by spaces. */
  nonces: text().notNull(),
  /** The key that had signed before this one, if any, and its last second: it cannot be used again either. */
  formerKey: text(),
  formerCreated: bigint({ mode: 'number' }),
  ...replicationColumns,
});
export type NodeSignerRow = Replicated<typeof nodeSigners.$inferSelect>;

/** Signatures of claims, removals, rotations and proofs that were used: none counts twice. */
export const spentSignatures = pgTable(
  'spent_signatures',
  {
    /** A digest of key and nonce. */
    id: text().primaryKey(),
    /** What it was used for: a digest of the request that may be repeated, otherwise random. */
    use: text().notNull(),
    spentAt: moment().notNull(),
  },
  (table) => [index('spent_signatures_by_time').on(table.spentAt)],
);

/**
 * Nodes that somebody has removed by the network's secret alone. `id` is the node's id. It is hidden while nothing was
 * heard of it after `hiddenAt`, and deleted with this row once that has lasted for HIDDEN_MS.
 */
export const hiddenNodes = pgTable('hidden_nodes', {
  id: text().primaryKey(),
  hiddenAt: moment().notNull(),
  ...replicationColumns,
});
export type HiddenRow = Replicated<typeof hiddenNodes.$inferSelect>;

/**
 * Keys that nodes had: replaced in a rotation, or revoked by a reviewer. `id` is `<nodeId>:<key>`. A key
 * that was only replaced goes with its node; a revoked one stays, and speaks for its node never again.
 */
export const formerKeys = pgTable(
  'former_keys',
  {
    id: text().primaryKey(),
    nodeId: text().notNull(),
    key: text().notNull(),
    /** When it was replaced, for the last time; null: it was revoked, never replaced. */
    replacedAt: moment(),
    /** Null: it was replaced, and nobody has revoked it. */
    revokedAt: moment(),
    ...replicationColumns,
  },
  (table) => [index('former_keys_by_node').on(table.nodeId)],
);
export type FormerKeyRow = Replicated<typeof formerKeys.$inferSelect>;
