import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { backup, checkBackup, restoreInto, writeBackup } from '#db/backup/index.ts';
import { openDatabase } from '#db/client.ts';
import { BEFORE_BASELINE } from '#db/migrate.ts';
import { peers, reservedNames, reviewActions } from '#db/schema/index.ts';
import { createPostgresDatabase } from '../support/databases.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Backups without a running service: what they hold, and what is refused. */

interface Place {
  databaseUrl: string | undefined;
  dataDir: string;
  drop(): Promise<void>;
}
const made: Place[] = [];

/** Given by its URL, or embedded in a directory. */
const KINDS = ['given', 'embedded'] as const;
type Kind = (typeof KINDS)[number];

/** A database without tables; for the embedded one, a directory that doesn't exist. */
async function place(kind: Kind): Promise<Place> {
  if (kind === 'given') return given();
  const directory = temporaryDirectory();
  const created = {
    databaseUrl: undefined,
    dataDir: join(directory.path, 'data'),
    drop: () => Promise.resolve(directory.remove()),
  };
  made.push(created);
  return created;
}

/** A database given by its URL. */
async function given(template?: string): Promise<Place> {
  const { url, drop } = await createPostgresDatabase(inject('postgresUrl'), template);
  const created = { databaseUrl: url, dataDir: '', drop };
  made.push(created);
  return created;
}

/** The same, with the tables of this release. */
const migrated = () => given(inject('postgresTemplate'));

const files = temporaryDirectory();
let count = 0;
const newFile = () => join(files.path, `${count++}.backup.gz`);
afterAll(async () => {
  for (const { drop } of made) await drop();
  files.remove();
});

async function backUp(from: Place): Promise<string> {
  const file = newFile();
  await backup(from, (bytes) => writeBackup(file, bytes));
  return file;
}

async function inDatabase<T>(
  at: Place,
  work: (db: Awaited<ReturnType<typeof openDatabase>>['db']) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(at);
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}

/** What a text format may confuse: delimiters, escapes, nulls, and the mark that ends a table. */
const TEXTS = [
  '',
  '\\.',
  '\\N',
  'a\tb',
  'a\nb\r\nc',
  '\\\\n',
  '"{},',
  "it's",
  'ünï 🛰 漢字',
  '\u0001\u2028',
  '\\',
];
const now = new Date('2026-11-22T10:20:30.123Z');

const MANY = 5000;

const fill = (at: Place) =>
  inDatabase(at, async (db) => {
    await db.insert(reviewActions).values(
      TEXTS.map((text, n) => ({
        id: `action ${n}`,
        at: new Date(now.getTime() + n),
        actor: text,
        action: 'name_reserved' as const,
        subject: text,
        reason: n % 2 ? text : null,
      })),
    );
    await db.insert(peers).values(
      [0.1 + 0.2, -1e-300, 89.99999999999999, 1 / 3].map((lat, n) => ({
        id: `node_${n}`,
        status: 'online' as const,
        lat,
        lng: -lat,
        joinedAt: now,
        lastSeen: now,
        writtenBy: 'test',
      })),
    );
    // More than the buffers of streams and sockets hold.
    await db.execute(
      sql`insert into name_claims select 'name-' || n, repeat(md5(n::text), 8), now() from generate_series(1, ${MANY}::int) n`,
    );
    await db.delete(reservedNames).where(sql`name = 'www'`);
    await db.execute(sql`select nextval('review_desk_removals') from generate_series(1, 7)`);
  });

describe('a backup of a database', () => {
  it.each([
    ['given', 'embedded'],
    ['embedded', 'given'],
  ] as const)(
    'restores every row (from one that is %s to one that is %s), and is backed up as the same',
    async (from, to) => {
      const source = await place(from);
      await fill(source);
      const file = await backUp(source);
      const at = await place(to);
      const { header, footer } = await restoreInto(at, file);
      expect(footer.tables['peers']?.rows).toBe(4);
      expect(footer.tables['review_actions']?.rows).toBe(TEXTS.length);
      expect(footer.tables['name_claims']?.rows).toBe(MANY);
      expect(footer.sequences['review_desk_removals']).toEqual({ value: '7', called: true });
      const again = await checkBackup(await backUp(at));
      // The row of the public log is added: it says that the log has to be compared first.
      const { log_head: _, ...tables } = again.footer.tables;
      const { log_head: __, ...before } = footer.tables;
      expect({ ...again.footer, tables }).toEqual({ ...footer, tables: before });
      expect(again.header.migrations).toEqual(header.migrations);
      await inDatabase(at, async (db) => {
        const actions = await db.select().from(reviewActions).orderBy(reviewActions.at);
        expect(actions.map(({ subject }) => subject)).toEqual(TEXTS);
        expect(actions.map(({ reason }) => reason)).toEqual(
          TEXTS.map((text, n) => (n % 2 ? text : null)),
        );
        // What a migration inserts stays deleted.
        expect(
          await db
            .select()
            .from(reservedNames)
            .where(sql`name = 'www'`),
        ).toEqual([]);
      });
    },
  );
});

describe('a backup', () => {
  let source: Place;
  let file: string;
  beforeAll(async () => {
    source = await migrated();
    await fill(source);
    file = await backUp(source);
  });

  it('is readable only by its owner, and never replaces a file', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = readFileSync(file);
    await expect(backup(source, (bytes) => writeBackup(file, bytes))).rejects.toThrow(
      'exists already',
    );
    expect(readFileSync(file)).toEqual(before);
  });

  it('that is cut off or changed anywhere is refused', async () => {
    const whole = readFileSync(file);
    const text = gunzipSync(whole);
    const damaged = newFile();
    const versions: Buffer[] = [
      ...Array.from({ length: 15 }, () => whole.subarray(0, randomInt(whole.length))),
      // Compressed again, so that only our own checks are left.
      ...Array.from({ length: 30 }, () => gzipSync(text.subarray(0, randomInt(text.length)))),
      ...Array.from({ length: 30 }, () => {
        const changed = Buffer.from(text);
        // In the rows, where every change shows.
        const at = text.indexOf('node_0') + randomInt(60);
        changed[at] = changed[at]! ^ 1;
        return gzipSync(changed);
      }),
      gzipSync(Buffer.concat([Buffer.from('{}\n'), text])),
      gzipSync('some other text'),
      gzipSync(''),
      Buffer.from('not compressed'),
      Buffer.alloc(0),
    ];
    for (const version of versions) {
      writeFileSync(damaged, version);
      await expect(checkBackup(damaged)).rejects.toMatchObject({ name: 'BackupError' });
    }
  });

  it('that turns out to be incomplete leaves the target as it was', async () => {
    const text = gunzipSync(readFileSync(file));
    const torn = newFile();
    writeFileSync(torn, gzipSync(text.subarray(0, text.lastIndexOf('{"tables"'))));
    for (const target of KINDS) {
      const at = await place(target);
      await expect(restoreInto(at, torn)).rejects.toThrow('incomplete');
      // The same target takes the whole one.
      await restoreInto(at, file);
    }
  });

  it('of a newer release is refused', async () => {
    const text = gunzipSync(readFileSync(file)).toString();
    const newer = newFile();
    writeFileSync(newer, gzipSync(text.replace('"migrations":[', '"migrations":["ffff",')));
    const at = await given();
    await expect(restoreInto(at, newer)).rejects.toThrow('A newer release');
  });
});

describe('restoring', () => {
  it('refuses a database that holds data, and leaves it as it was', async () => {
    const used = await migrated();
    await fill(used);
    const file = await backUp(used);
    const before = (await checkBackup(file)).footer;
    await expect(restoreInto(used, file)).rejects.toMatchObject({
      name: 'NotEmptyError',
    });
    expect((await checkBackup(await backUp(used))).footer).toEqual(before);
  });

  it('refuses a database of another program', async () => {
    const file = await backUp(await migrated());
    const at = await given();
    const other = postgres(at.databaseUrl ?? '', { max: 1 });
    await other`create table payments (id text)`;
    await expect(restoreInto(at, file)).rejects.toThrow('tables of another program');
    await other.end();
  });

  it('accepts a database on which a service was only started, and refuses one that a service uses', async () => {
    const file = await backUp(await migrated());
    const at = await migrated();
    const server = await startTestServer({ env: { DATABASE_URL: at.databaseUrl ?? '' } });
    await server.services.accounts.firstLink();
    await expect(restoreInto(at, file)).rejects.toThrow('Stop all servers first');
    await server.stop();
    await restoreInto(at, file);
  });

  it('refuses a backup of a release that is too old, and leaves the database empty', async () => {
    const text = gunzipSync(readFileSync(await backUp(await migrated()))).toString();
    const older = newFile();
    const migrations = JSON.stringify([BEFORE_BASELINE.first, 'ffff']);
    writeFileSync(
      older,
      gzipSync(text.replace(/"migrations":\[.*?\]/, `"migrations":${migrations}`)),
    );
    const at = await given();
    await expect(restoreInto(at, older)).rejects.toThrow(
      'An older release made this backup, and this one cannot restore it.',
    );
    await expect(backUp(at)).rejects.toThrow('This database is empty');
  });

  it('beside a database of release 0.1 counts only once it is complete', async () => {
    const file = await backUp(await migrated());
    const newer = newFile();
    const text = gunzipSync(readFileSync(file)).toString();
    writeFileSync(newer, gzipSync(text.replace('"migrations":[', '"migrations":["ffff",')));
    const at = await place('embedded');
    mkdirSync(join(at.dataDir, 'pg'), { recursive: true });
    await expect(restoreInto(at, newer)).rejects.toThrow('A newer release');
    await expect(openDatabase(at)).rejects.toThrow('a database of release 0.1');
    await restoreInto(at, file);
    await (await openDatabase(at)).close();
  });

  it('creates no database for a file that is no backup', async () => {
    const at = await place('embedded');
    const file = newFile();
    writeFileSync(file, 'something');
    await expect(restoreInto(at, file)).rejects.toMatchObject({ name: 'BackupError' });
    expect(existsSync(at.dataDir)).toBe(false);
  });
});
