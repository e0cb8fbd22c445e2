import { sql } from 'drizzle-orm';
import { describe, expect, inject, test, vi } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { createPostgresDatabase, DATABASE_KINDS, type DatabaseKind } from '../support/databases.ts';
import {
  hasPreviousRelease,
  PREVIOUS_RELEASE,
  startPreviousRelease,
  type PreviousRelease,
} from '../support/previous-release.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const soon = { timeout: 20_000, interval: 200 };

interface Registration {
  id: string;
  paymentNote: string;
}

/** Tables that no service call below fills, as 0.1 has them. */
const OTHER_ROWS = [
  `insert into reviewers (id, name, email, email_verified, role, created_at, updated_at)
   values ('u1', 'Ada', 'ada@example.org', true, 'administrator', now(), now())`,
  `insert into reviewer_sessions (id, token, user_id, expires_at, created_at, updated_at)
   values ('s1', 't1', 'u1', now() + interval '1 day', now(), now())`,
  `insert into reviewer_accounts (id, account_id, provider_id, user_id, password, created_at, updated_at)
   values ('a1', 'u1', 'credential', 'u1', 'hash', now(), now())`,
  `insert into reviewer_two_factors (id, secret, backup_codes, user_id) values ('f1', 'x', 'y', 'u1')`,
  `insert into reviewer_used_codes (user_id, code, used_at) values ('u1', 'hash', now())`,
  `insert into reviewer_verifications (id, identifier, value, expires_at, created_at, updated_at)
   values ('v1', 'i', 'v', now() + interval '1 day', now(), now())`,
  `insert into reviewer_invitations (token_hash, email, role, invited_by, created_at, expires_at)
   values ('h1', 'bob@example.org', 'reviewer', 'u1', now(), now() + interval '1 day')`,
  `insert into payments (id, paid_at, amount_cents, note, note_key) values ('p1', now(), 500, 'MESH-x', 'MESH-X')`,
  `insert into webhook_messages (id, body, created_at, next_attempt_at)
   values ('w1', '{}', now(), now() + interval '1 day')`,
  `insert into review_decisions (registration_id, reviewer, decision, made_at, effective_at)
   select id, 'ada', 'accept', now(), now() + interval '1 day' from registrations where name = 'second'`,
  `insert into status_minutes values (date_trunc('minute', now()), 'old', 1, 0, 5, 5, 2, 3)`,
];

/** One of everything that the service stores. */
async function fill(old: PreviousRelease, name: string): Promise<Registration> {
  await old.call('mesh', 'ping', { nodeId: `node_${name}`, lat: 1, lng: 2, label: name });
  const computes = [{ name: `gpu-${name}`, replicas: 2, freeSlots: 1 }];
  await old.call('computes', 'announce', { nodeId: `node_${name}`, computes });
  const start = {
    name,
    nodeId: `node_${name}`,
    kinds: ['node'],
    label: name,
    class: 'S',
    region: 'EU',
  };
  const started = await old.call<Registration>('registry', 'start', start, `key-${name}`);
  await old.call('registry', 'confirm', { id: started.id });
  await old.call('review', 'accept', { id: started.id, reviewer: 'ada' });
  await old.call('nodes', 'block', { nodeId: `bad_${name}`, reviewer: 'ada', reason: 'spam' });
  return started;
}

describe.skipIf(!hasPreviousRelease())(
  `an upgrade from the previous release, which needs commit ${PREVIOUS_RELEASE.slice(0, 7)} in the clone`,
  { timeout: 120_000 },
  () => {
    async function emptyDatabase(kind: DatabaseKind) {
      if (kind === 'postgres') {
        const { url, drop } = await createPostgresDatabase(inject('postgresUrl'));
        return { env: { DATABASE_URL: url }, drop };
      }
      const { path, remove } = temporaryDirectory();
      return { env: { DATA_DIR: path }, drop: () => Promise.resolve(remove()) };
    }

    test.each(DATABASE_KINDS)('keeps every row of every table, %s', async (kind) => {
      const { env, drop } = await emptyDatabase(kind);
      try {
        const old = await startPreviousRelease({ ...env });
        await fill(old, 'first');
        const second = await old.call<Registration>('registry', 'start', {
          name: 'second',
          nodeId: 'node_first',
          kinds: ['node'],
          label: 'second',
          class: 'S',
          region: 'EU',
        });
        await old.call('registry', 'confirm', { id: second.id });
        await old.call('review', 'take', { note: second.paymentNote, reviewer: 'ada' });
        for (const statement of OTHER_ROWS) await old.sql(statement);
        const tables = await old.sql<{ table: string; columns: string }>(
          `select table_name as table, string_agg(quote_ident(column_name), ', ' order by column_name) as columns
           from information_schema.columns
           where table_schema = 'public' and table_name <> 'migration_lock'
           group by table_name`,
        );
        expect(tables.length).toBeGreaterThan(15);
        const contents = ({ table, columns }: { table: string; columns: string }) =>
          `select coalesce(string_agg(r::text, E'\\n' order by r::text), '') as rows
           from (select ${columns} from ${table} ${table === 'status_minutes' ? "where server = 'old'" : ''}) r`;
        const before = new Map<string, string>();
        for (const table of tables) {
          const [found] = await old.sql<{ rows: string }>(contents(table));
          expect(found?.rows, `rows in ${table.table}`).not.toBe('');
          before.set(table.table, found?.rows ?? '');
        }
        await old.stop();

        const database = await openDatabase({
          databaseUrl: 'DATABASE_URL' in env ? env.DATABASE_URL : undefined,
          dataDir: 'DATA_DIR' in env ? env.DATA_DIR : '',
        });
        for (const table of tables) {
          const [found] = await database.db
            .select({ rows: sql<string>`rows` })
            .from(sql`(${sql.raw(contents(table))}) as contents`);
          expect(found?.rows, table.table).toBe(before.get(table.table));
        }
        await database.close();

        const server = await startTestServer({ env: { ...env, COMPUTE_LISTING: 'announced' } });
        try {
          expect(await shown(server)).toEqual({
            peers: ['node_first'],
            computes: ['gpu-first'],
            names: ['first'],
          });
        } finally {
          await server.stop();
        }
      } finally {
        await drop();
      }
    });

    test('lets servers of it go on beside new ones, and both show what the other writes', async () => {
      const { env, drop } = await emptyDatabase('postgres');
      try {
        const old = await startPreviousRelease({ ...env });
        await fill(old, 'before');
        const server = await startTestServer({
          env: { ...env, COMPUTE_LISTING: 'announced', RATE_LIMITS: 'off' },
        });
        try {
          await fill(old, 'beside');
          await vi.waitFor(
            async () =>
              expect(await shown(server)).toEqual({
                peers: ['node_before', 'node_beside'],
                computes: ['gpu-before', 'gpu-beside'],
                names: ['before', 'beside'],
              }),
            soon,
          );
          const ping = { nodeId: 'node_new', lat: 1, lng: 1 };
          expect((await server.post('/api/mesh/ping', ping)).status).toBe(201);
          await vi.waitFor(
            async () =>
              expect(await old.call('mesh', 'peer', 'node_new')).toMatchObject({ id: 'node_new' }),
            soon,
          );
        } finally {
          await server.stop();
          await old.stop();
        }
      } finally {
        await drop();
      }
    });
  },
);

type Server = Awaited<ReturnType<typeof startTestServer>>;

async function shown(server: Server) {
  const get = async <Body>(path: string) => (await (await server.get(path)).json()) as Body;
  const { peers } = await get<{ peers: { id: string }[] }>('/api/mesh');
  const { computes } = await get<{ computes: { name: string }[] }>('/api/registry/computes');
  const { entries } = await get<{ entries: { name: string }[] }>('/api/registry');
  return {
    peers: peers.map(({ id }) => id),
    computes: computes.map(({ name }) => name),
    names: entries.map(({ name }) => name),
  };
}
