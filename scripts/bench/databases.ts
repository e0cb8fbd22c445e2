import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { createPostgresDatabase, type PostgresDatabase } from '../../test/support/databases.ts';
import { startPostgres, type PostgresServer } from '../../test/support/postgres.ts';
import type { Build } from './builds.ts';
import { ping, startService } from './servers.ts';

export type DatabaseKind = 'PostgreSQL' | 'embedded';

export interface Database {
  /** How the service's environment names it. */
  env: Record<string, string>;
  drop: () => Promise<void>;
}

/** Databases with as many online nodes as asked for. One PostgreSQL serves all, started when first needed. */
export function createDatabases() {
  let server: Promise<PostgresServer> | undefined;
  const templates = new Map<Build, Promise<PostgresDatabase>>();

  /** A database with the tables of a build and one node. */
  async function createTemplate(url: string, build: Build): Promise<PostgresDatabase> {
    const template = await createPostgresDatabase(url);
    const service = await startService(build, { DATABASE_URL: template.url });
    await ping(service.url, 'first_node');
    await service.stop();
    return template;
  }

  async function inPostgres(build: Build, nodes: number): Promise<Database> {
    const own = await (server ??= startPostgres({ fsync: true }));
    const template = templates.get(build) ?? createTemplate(own.url(), build);
    templates.set(build, template);
    const database = await createPostgresDatabase(own.url(), (await template).name);
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
    return { env: { DATABASE_URL: database.url }, drop: () => database.drop() };
  }

  return {
    /**
     * In PostgreSQL the nodes are there, all heard of a moment ago. An embedded database is empty: the service creates
     * it.
     */
    async create(kind: DatabaseKind, build: Build, nodes: number): Promise<Database> {
      if (kind === 'PostgreSQL') return inPostgres(build, nodes);
      const directory = mkdtempSync(join(tmpdir(), 'mesh-bench-data-'));
      return {
        env: { DATA_DIR: directory },
        drop: () => Promise.resolve(rmSync(directory, { recursive: true, force: true })),
      };
    },
    async stop(): Promise<void> {
      await (await server)?.stop();
    },
  };
}
