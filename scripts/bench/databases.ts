import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { startPostgres, type PostgresServer } from '../../test/support/postgres.ts';
import type { Build } from './builds.ts';
import { ping, startService } from './servers.ts';

export type DatabaseKind = 'PostgreSQL' | 'embedded';

export interface Database {
  /** How the service's environment names it. */
  env: Record<string, string>;
  drop: () => Promise<void>;
}

async function makeTemplate(server: PostgresServer, build: Build, name: string): Promise<string> {
  await server.createDatabase(name);
  const service = await startService(build, { DATABASE_URL: server.url(name) });
  await ping(service.url, 'first_node');
  await service.stop();
  return name;
}

/** Databases with as many online nodes as asked for. One PostgreSQL serves all, started when first needed. */
export function createDatabases() {
  let server: Promise<PostgresServer> | undefined;
  let count = 0;
  const templates = new Map<Build, Promise<string>>();

  /** A database with the tables of this build and one node. */
  function template(own: PostgresServer, build: Build): Promise<string> {
    const known = templates.get(build);
    if (known) return known;
    const making = makeTemplate(own, build, `template_${templates.size}`);
    templates.set(build, making);
    return making;
  }

  async function inPostgres(build: Build, nodes: number): Promise<Database> {
    const own = await (server ??= startPostgres({ fsync: true }));
    const name = `bench_${count++}`;
    await own.createDatabase(name, await template(own, build));
    const sql = postgres(own.url(name), { max: 1, onnotice: () => undefined });
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
    return {
      env: { DATABASE_URL: own.url(name) },
      drop: () => own.dropDatabase(name),
    };
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
