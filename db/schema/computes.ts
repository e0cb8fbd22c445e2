import { sql } from 'drizzle-orm';
import { check, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { list, moment, replicationColumns, type Replicated } from './columns.ts';
import { NODE_CLASSES, VISIBILITIES } from '@mesh-registry/protocol/values.schema.ts';

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
