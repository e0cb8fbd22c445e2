import { sql } from 'drizzle-orm';
import type { Db } from '#db/client.ts';

/**
 * Counts a removal from the tables of the queue. Call before the statement that removes, not within it, which Citus
 * refuses; counting one that then does not happen is harmless.
 */
export async function countRemoval(db: Db): Promise<void> {
  await db.select({ count: sql`nextval('review_desk_removals')` }).from(sql`(values (1)) as one`);
}
