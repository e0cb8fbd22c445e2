import { sql } from 'drizzle-orm';
import { check, pgTable, text } from 'drizzle-orm/pg-core';
import { list, moment, replicationColumns, type Replicated } from './columns.ts';
import { PIN_SOURCES } from '@mesh-registry/protocol/values.schema.ts';

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
