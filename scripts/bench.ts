import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { measure } from './bench/measure.ts';
import { formatRow, HEADER, type Row } from './bench/report.ts';
import { build, isBuilt } from './build.mjs';

/**
 * `npm run bench`: compares the service with a bare node:http server that sends the same bytes, in the
 * same run on the same machine. Prints a table and writes bench-results/latest.json. On a shared machine
 * the rates vary from run to run; the ratio varies less.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    peers: { type: 'string', default: '1000,10000' },
    databases: { type: 'string', default: 'postgres,embedded' },
  },
});
const load = { seconds: Number(values.seconds), connections: Number(values.connections) };
const RESULTS = join(import.meta.dirname, '..', 'bench-results');

/** An empty database, as the service's environment names it. */
async function startDatabase(
  kind: string,
): Promise<{ env: Record<string, string>; stop: () => void | Promise<void> }> {
  if (kind === 'postgres') {
    const postgres = await startPostgres({ fsync: true });
    return { env: { DATABASE_URL: postgres.url() }, stop: () => postgres.stop() };
  }
  const directory = mkdtempSync(join(tmpdir(), 'mesh-bench-data-'));
  return {
    env: { DATA_DIR: directory },
    stop: () => rmSync(directory, { recursive: true, force: true }),
  };
}

if (!isBuilt()) await build({ quiet: true });
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${load.connections} connections, ${load.seconds} s each`,
);
console.log(HEADER);
const rows: Row[] = [];
for (const database of values.databases.split(',')) {
  for (const peers of values.peers.split(',').map(Number)) {
    const { env, stop } = await startDatabase(database);
    await measure(peers, env, load, (result) => {
      const row = { database, peers, ...result };
      rows.push(row);
      console.log(formatRow(row));
    });
    await stop();
  }
}
const machine = { at: new Date().toISOString(), node: process.version, cpus: cpus().length };
mkdirSync(RESULTS, { recursive: true });
writeFileSync(join(RESULTS, 'latest.json'), JSON.stringify({ ...machine, ...load, rows }, null, 2));
