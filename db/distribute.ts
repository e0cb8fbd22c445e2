import { migratePostgres } from './migrate.ts';
import { Pool } from './connection/pool.ts';

/**
 * The tables that heartbeats and announcements write, and the history of nodes, each with the column that decides
 * where a row is stored. Everything else stays on the coordinator: it is small, and transactions, sequences and joins
 * among these tables stay local.
 */
const DISTRIBUTED = { peers: 'id', computes: 'id', node_days: 'node' };
/** Few: each group of writes touches every shard. 4 shards took 2,800 heartbeats a second, 32 shards 600. */
const SHARDS = 4;

/** What stands in the way of distributing the tables; for the person at the terminal. */
export class DistributeError extends Error {}

/**
 * Spreads the heartbeat tables over the workers of a Citus cluster. The rows go along. No server may run meanwhile:
 * each finds out at its start that the tables are distributed.
 * @param url of the coordinator
 * @returns what was done
 * @throws DistributeError
 */
export async function distribute(url: string): Promise<string> {
  await migratePostgres(url);
  const pool = new Pool(url, { max: 1 });
  const ask = (query: string) => pool.unsafe<object>(query);
  try {
    const [available] = await ask(`select 1 from pg_available_extensions where name = 'citus'`);
    if (!available)
      throw new DistributeError(
        'This PostgreSQL server has no Citus extension. Install it on every machine of the cluster, or go on without: see docs/scale.md.',
      );
    await ask('create extension if not exists citus');
    const others = await ask(
      `select 1 from pg_stat_activity
       where datname = current_database() and application_name = 'mesh-registry' and pid <> pg_backend_pid()`,
    );
    if (others.length > 0)
      throw new DistributeError('Stop all servers of the service first; then run this again.');
    const done: string[] = [];
    for (const [table, column] of Object.entries(DISTRIBUTED)) {
      const found = await ask(
        `select 1 from pg_dist_partition where logicalrelid = '${table}'::regclass`,
      );
      if (found.length > 0) continue;
      // Not co-located with other tables: nothing joins them.
      await ask(
        `select create_distributed_table('${table}', '${column}', shard_count => ${SHARDS}, colocate_with => 'none')`,
      );
      done.push(table);
    }
    return done.length > 0
      ? `Distributed ${done.join(', ')}, ${SHARDS} shards each. Start the servers again.`
      : 'The tables are distributed already.';
  } finally {
    await pool.close();
  }
}
