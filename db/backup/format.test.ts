import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { BackupReader, encode, FORMAT, VERSION } from './format.ts';

/** In pieces that end anywhere in a line. */
const piecesOf = (text: string): AsyncIterable<Uint8Array> =>
  Readable.from((text.match(/[^]{1,7}/g) ?? []).map((piece) => Buffer.from(piece)));

/** A backup of two tables. */
async function aBackup(): Promise<string> {
  const header = { format: FORMAT, version: VERSION, createdAt: '', migrations: [] } as const;
  const table = (table: string, rows: string) => ({ table, columns: ['a'], rows: piecesOf(rows) });
  const tables = [table('names', 'one\ntwo\n'), table('nodes', '')];
  const parts: Uint8Array[] = [];
  for await (const part of encode({ ...header, migrations: [] }, tables, {})) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** The rows of each table, read to the end of the backup. */
async function read(backup: string): Promise<Record<string, string>> {
  const reader = new BackupReader(piecesOf(backup));
  await reader.header();
  const found: Record<string, string> = {};
  for await (const { table, rows } of reader.tables()) {
    found[table] = '';
    for await (const chunk of rows) found[table] += Buffer.from(chunk).toString();
  }
  return found;
}

test('a backup is read as it was written, in whatever pieces it arrives', async () => {
  expect(await read(await aBackup())).toEqual({ names: 'one\ntwo\n', nodes: '' });
});

test.each([
  ['a row has changed', 'names', (text: string) => text.replace('\ntwo\n', '\ntwa\n')],
  ['a row is missing', 'names', (text: string) => text.replace('\ntwo\n', '\n')],
  ['a row was added', 'nodes', (text: string) => text.replace(/("nodes".*\n)/, '$1more\n')],
  [
    'a table is missing',
    'nodes',
    (text: string) => text.replace(/\{"table":"nodes".*\n\\\.\n/, ''),
  ],
])('a backup in which %s is refused', async (_, table, damage) => {
  const damaged = damage(await aBackup());
  await expect(read(damaged)).rejects.toThrow(
    `The backup is damaged: the rows of ${table} have changed.`,
  );
});

test('a backup whose end is missing is refused, also if it was cut between two lines', async () => {
  const backup = await aBackup();
  const ends = [...backup.matchAll(/\n/g)].map(({ index }) => index + 1);
  expect(ends).toHaveLength(8);
  for (const [line, end] of ends.slice(1).entries())
    for (const cut of [ends[line], end - 1])
      await expect(read(backup.slice(0, cut))).rejects.toThrow('The backup is incomplete');
});
