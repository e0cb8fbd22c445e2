import { sql } from 'drizzle-orm';
import { check, doublePrecision, integer, pgTable, text } from 'drizzle-orm/pg-core';
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
  (t) => [
    check('peers_class', sql`${t.class} in (${list(NODE_CLASSES)})`),
    check('peers_status', sql`${t.status} in (${list(PEER_STATUSES)})`),
    check('peers_place', sql`${t.lat} between -90 and 90 and ${t.lng} between -180 and 180`),
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
  (t) => [
    check('computes_class', sql`${t.class} in (${list(NODE_CLASSES)})`),
    check('computes_visibility', sql`${t.visibility} in (${list(VISIBILITIES)})`),
    check('computes_capacity', sql`${t.replicas} >= 0 and ${t.freeSlots} >= 0`),
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
  (t) => [check('node_keys_source', sql`${t.source} in (${list(PIN_SOURCES)})`)],
);
export type NodeKeyRow = Replicated<typeof nodeKeys.$inferSelect>;
