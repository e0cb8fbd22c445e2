import postgres from 'postgres';
import { createPostgresDatabase, type PostgresDatabase } from '../../test/support/databases.ts';
import type { Build } from './builds.ts';
import { ping, startService } from './service.ts';

/** A database with the tables of a build, and one node. @param server the URL of a PostgreSQL server */
export async function createTemplate(server: string, build: Build): Promise<PostgresDatabase> {
  const template = await createPostgresDatabase(server);
  const service = await startService(build, template.url);
  try {
    await ping(service.url, 'first_node');
  } finally {
    await service.end('SIGTERM');
  }
  return template;
}

/** A copy of the template with so many nodes, all heard of a moment ago. */
export async function createNodes(
  server: string,
  template: PostgresDatabase,
  nodes: number,
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
  await sql`vacuum analyze peers`;
  await sql`checkpoint`;
  await sql.end();
  return database;
}
