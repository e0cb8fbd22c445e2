import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadTrust } from '@mesh-registry/peer/sync/trust-store.ts';
import { root, truth } from '../support/network-truth.ts';
import { aSubject, signed, START } from '../support/peer-records.ts';
import { rounds } from '../support/rounds.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Killed at any moment of a write, a peer finds its key, what it believed, whom it reached and whom it refuses. */

const programs = temporaryDirectory();
const program = join(programs.path, 'keep.mjs');
const material = join(programs.path, 'material.json');
afterAll(programs.remove);

/** Begins with what is on disk, then changes all of it until it is killed, and says what is on disk now. */
const SOURCE = `
  import { readFileSync } from 'node:fs';
  import { join } from 'node:path';
  import { createIdentity } from './packages/agent/identity/key-file.ts';
  import { AddressBook } from './packages/peer/book/address-book.ts';
  import { Conduct } from './packages/peer/guard/conduct.ts';
  import { loadTrust, saveTrust } from './packages/peer/sync/trust-store.ts';
  import { readJsonFile, writeDurable } from './packages/protocol/durable-file.ts';
  const [, , directory, material] = process.argv;
  const { pinned, truths, records, now } = JSON.parse(readFileSync(material, 'utf8'));
  const file = (name) => join(directory, name);
  const clock = () => now;
  const identity = createIdentity(file('identity.key'));
  const trust = loadTrust(directory, pinned, clock);
  const network = trust.network;
  const state = readJsonFile(file('peers.json'));
  const book = new AddressBook({ network, self: '', isRefused: () => false, now: clock, state });
  const conduct = new Conduct({ now: clock, state: readJsonFile(file('conduct.json')) });
  const reached = () => book.state.peers.length;
  const refused = () => conduct.state.peers.length;
  const tell = () =>
    process.stdout.write([identity.publicKey, trust.truth?.version ?? 0, reached(), refused()].join(' ') + '\\n');
  tell();
  for (;;) {
    const next = truths[trust.truth?.version ?? 0];
    if (next) trust.takeTruth(next);
    saveTrust(directory, trust);
    const { record, peer } = records[reached() % records.length];
    book.take(record, 'test');
    book.succeeded(peer);
    writeDurable(file('peers.json'), JSON.stringify(book.state));
    conduct.punish(records[refused() % records.length].peer, 100, '/ip4/192.0.2.1/tcp/1');
    writeDurable(file('conduct.json'), JSON.stringify(conduct.state));
    tell();
  }`;

const pinned = { roots: [root()], truth: null };
const now = START + 1000;

beforeAll(() => {
  const truths = Array.from({ length: 500 }, (_, index) =>
    truth({
      version: index + 1,
      issued: new Date(START - 1000).toISOString(),
      expires: new Date(START + 1e9).toISOString(),
    }),
  );
  const records = Array.from({ length: 300 }, (_, index) => {
    const subject = aSubject();
    return {
      peer: subject.peer,
      record: signed(subject, `/ip4/${20 + (index % 200)}.1.1.1/tcp/9`),
    };
  });
  writeFileSync(material, JSON.stringify({ pinned, truths, records, now }));
  buildSync({
    stdin: { contents: SOURCE, resolveDir: join(import.meta.dirname, '..', '..'), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
  });
});

interface Kept {
  key: string;
  truth: number;
  reached: number;
  refused: number;
}

/** @returns what it found, and what it had stored last */
async function keepUntilKilled(directory: string): Promise<{ found: Kept; stored: Kept }> {
  const child = spawn(process.execPath, [program, directory, material], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const told: Kept[] = [];
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const [key = '', ...counts] = line.split(' ');
    const [version, reached, refused] = counts.map(Number);
    // The last line may be cut.
    if (refused !== undefined)
      told.push({ key, truth: version ?? 0, reached: reached ?? 0, refused });
  });
  const closed = once(child, 'close');
  // How long a write takes depends on the disk: it is the number of writes that is drawn, and a moment of the next one.
  for (let left = Math.floor(Math.random() * 4); left >= 0; left--)
    await Promise.race([once(lines, 'line'), closed]);
  await sleep(Math.random() * 20);
  child.kill('SIGKILL');
  await closed;
  expect(complaint).toBe('');
  const [found, stored] = [told.at(0), told.at(-1)];
  if (!found || !stored) throw new Error('It told nothing.');
  return { found, stored };
}

test('whoever is killed while storing finds all that was stored, whole', async () => {
  const series = async () => {
    const { path, remove } = temporaryDirectory();
    try {
      let before: Kept | null = null;
      for (let round = 0; round < rounds(10); round++) {
        const { found, stored } = await keepUntilKilled(path);
        if (before) {
          expect(found.key).toBe(before.key);
          expect(found.truth).toBeGreaterThanOrEqual(before.truth);
          expect(found.reached).toBeGreaterThanOrEqual(before.reached);
          expect(found.refused).toBeGreaterThanOrEqual(before.refused);
        }
        before = stored;
      }
      expect(loadTrust(path, pinned, () => now).truth?.version).toBeGreaterThanOrEqual(
        before?.truth ?? 0,
      );
      expect(before?.reached).toBeGreaterThan(0);
      // What was half written is one file at most beside each.
      expect(readdirSync(path).length).toBeLessThanOrEqual(8);
    } finally {
      remove();
    }
  };
  await Promise.all(Array.from({ length: 5 }, series));
});
