import { sql } from 'drizzle-orm';
import { check, doublePrecision, pgTable, text } from 'drizzle-orm/pg-core';
import { list, moment, replicationColumns, type Replicated } from './columns.ts';
import { NODE_CLASSES, PEER_STATUSES } from '@mesh-registry/protocol/values.schema.ts';

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
