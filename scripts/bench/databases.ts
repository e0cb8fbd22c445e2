import postgres from 'postgres';
import { createPostgresDatabase, type PostgresDatabase } from '../../test/support/databases.ts';
import type { Build } from './builds.ts';
import { announce, ping, startService } from './service.ts';

/** A database with the tables of a build, one node and one compute offer. @param server the URL of a PostgreSQL server */
export async function createTemplate(server: string, build: Build): Promise<PostgresDatabase> {
  const template = await createPostgresDatabase(server);
  const service = await startService(build, template.url);
  try {
    await ping(service.url, 'first_node');
    await announce(service.url, 'first_node');
  } finally {
    await service.end('SIGTERM');
  }
  return template;
}

/** A copy of the template with so many nodes and offers of theirs, all heard of a moment ago. */
export async function createNodes(
  server: string,
  template: PostgresDatabase,
  { nodes, offers }: { nodes: number; offers: number },
): Promise<PostgresDatabase> {
  const database = await createPostgresDatabase(server, template.name);
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  // Copies of the first node: whatever columns a build has, they are right.
  await sql`
    insert into peers
    select (jsonb_populate_record(p, jsonb_build_object(
      'id', 'node_' || n, 'label', 'node ' || n, 'class', 'M', 'region', 'EU',
      'lat', (n * 7) % 170 - 85, 'lng', (n * 13) % 360 - 180, 'last_seen', now()))).*
    from peers p cross join generate_series(0, ${nodes - 1}::int) n
    where p.id = 'first_node'`;
  await sql`delete from peers where id = 'first_node'`;
  // The offers of one node have several names, and those of a name several nodes.
  await sql`
    insert into computes
    select (jsonb_populate_record(c, jsonb_build_object(
      'id', of_node || ':' || offer, 'node_id', of_node, 'name', offer, 'last_seen', now()))).*
    from computes c
      cross join generate_series(0, ${offers - 1}::int) n
      cross join lateral (select 'node_' || n % ${nodes}::int, 'offer-' || n / ${nodes}::int) named(of_node, offer)
    where c.node_id = 'first_node'`;
  await sql`delete from computes where node_id = 'first_node'`;
  await sql`vacuum analyze peers, computes`;
  await sql`checkpoint`;
  await sql.end();
  return database;
}
