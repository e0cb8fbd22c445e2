import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { trustNow } from '../../../test/support/blocks.ts';
import { loggers, root } from '../../../test/support/network-truth.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { nodeKeyToPem } from '../keys/node-key.ts';
import { BlockLog } from './block-log.ts';
import { BlockReader } from './block-reader.ts';

const programs = temporaryDirectory();
const program = join(programs.path, 'append.mjs');
afterAll(programs.remove);

/** Appends batches until it is killed, and says of each how far the log goes when it is on disk. */
const SOURCE = `
  import { randomInt, randomBytes } from 'node:crypto';
  import { nodeKeyFromPem } from '../keys/node-key.ts';
  import { Trust } from '../truth/trust.ts';
  import { createBlock, decodeBlock } from './block.ts';
  import { BlockLog } from './block-log.ts';
  const [, , directory, root, pem] = process.argv;
  const trust = new Trust(JSON.parse(root));
  const log = BlockLog.open(directory, { trust, onDamage: 'refuse', segmentBytes: 300_000 });
  const key = nodeKeyFromPem(pem);
  for (;;) {
    let { height, id: prev } = log.head;
    const frames = Array.from({ length: randomInt(1, 12) }, () => {
      const body = randomBytes(randomInt(20_000));
      const time = new Date().toISOString();
      const frame = createBlock({ network: trust.network, height: ++height, prev, time, kind: 'k', body }, key);
      prev = decodeBlock(frame).id;
      return frame;
    });
    const { added, bad } = await log.append(frames);
    if (bad || added < frames.length) throw bad;
    process.stdout.write(log.head.height + ' ' + log.head.id + '\\n');
  }`;

beforeAll(() => build(SOURCE, program));

function build(contents: string, outfile: string): void {
  buildSync({
    stdin: {
      contents,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
}

/** Lets the program append for a moment and kills it. @returns what it has acknowledged, and what it complained of */
async function appendUntilKilled(directory: string) {
  const args = [program, directory, JSON.stringify(root()), nodeKeyToPem(loggers[0]!)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const acknowledged: { height: number; id: string }[] = [];
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const [height, id = ''] = line.split(' ');
    if (id.length === 64) acknowledged.push({ height: Number(height), id });
  });
  const closed = once(child, 'close');
  await Promise.race([once(lines, 'line'), closed]);
  await sleep(Math.random() * 25);
  child.kill('SIGKILL');
  await closed;
  return { acknowledged, complaint };
}

test('whoever is killed while appending finds every block that was acknowledged, and goes on', async () => {
  const series = async () => {
    const { path, remove } = temporaryDirectory();
    try {
      const acknowledged = [];
      for (let round = 0; round < rounds(4); round++) {
        const { acknowledged: more, complaint } = await appendUntilKilled(path);
        expect(complaint).toBe('');
        acknowledged.push(...more);
        const reader = BlockReader.open(path);
        for (const { height, id } of more) expect(reader.idAt(height)).toBe(id);
      }
      const log = BlockLog.open(path, { trust: trustNow(Date.now()), onDamage: 'refuse' });
      for (const { height, id } of acknowledged) expect(log.idAt(height)).toBe(id);
      expect(acknowledged.length).toBeGreaterThanOrEqual(rounds(4));
      // All of it is a log that others believe.
      const copy = BlockLog.open(join(path, 'copy'), { trust: trustNow(Date.now()) });
      while (copy.head.height < log.head.height) {
        const { bad } = await copy.append(log.frames(copy.head.height + 1, 1024, 4_194_304));
        expect(bad).toBeNull();
      }
      expect(copy.head).toEqual(log.head);
      await Promise.all([log.close(), copy.close()]);
    } finally {
      remove();
    }
  };
  await Promise.all(Array.from({ length: 3 }, series));
});

/** Appends a batch, and another one until it is on disk. */
const TWICE = `
  import { nodeKeyFromPem } from '../keys/node-key.ts';
  import { Trust } from '../truth/trust.ts';
  import { createBlock, decodeBlock } from './block.ts';
  import { BlockLog } from './block-log.ts';
  const [, , directory, root, pem] = process.argv;
  const trust = new Trust(JSON.parse(root));
  const log = BlockLog.open(directory, { trust, onDamage: 'refuse' });
  const next = ({ height, id: prev }) => createBlock(
    { network: trust.network, height: height + 1, prev, time: '2026-06-01T00:00:00Z', kind: 'k', body: Buffer.from('body') },
    nodeKeyFromPem(pem),
  );
  await log.append([next(log.head)]);
  const frame = next(log.head);
  const outcomes = [];
  for (let attempt = 0; attempt < 3 && log.head.height < 2; attempt++)
    outcomes.push(await log.append([frame]).then(({ added }) => added, ({ code }) => code));
  console.log(JSON.stringify(outcomes));`;

test.skipIf(!hasStrace())('what a failed sync may have lost is written again', () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const [twice, trace] = [join(path, 'twice.mjs'), join(path, 'trace')];
  build(TWICE, twice);
  const key = nodeKeyToPem(loggers[0]!);
  const { stdout } = spawnSync(
    'strace',
    [
      ...['-f', '-qq', '-y', '-o', trace, '-e', 'trace=fdatasync,pwritev,pwrite64,ftruncate'],
      ...['-e', 'inject=fdatasync:error=EIO:when=2'],
      ...[process.execPath, twice, join(path, 'log'), JSON.stringify(root()), key],
    ],
    // Faults are counted by thread.
    { env: { ...process.env, UV_THREADPOOL_SIZE: '1' }, encoding: 'utf8' },
  );
  expect(JSON.parse(stdout)).toEqual(['EIO', 1]);
  const calls = readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.includes('.blocks>'));
  const failed = calls.findIndex((line) => line.includes('INJECTED'));
  const after = calls.slice(failed + 1).map((line) => /(\w+)\(/.exec(line)?.[1]);
  // Cut off, so that nobody takes what the system still shows for what is on disk; then all of it anew.
  expect(after[0]).toBe('ftruncate');
  expect(after.slice(1)).toContain('pwritev');
  expect(after.at(-1)).toBe('fdatasync');
  expect(BlockReader.open(join(path, 'log')).head.height).toBe(2);
});

function hasStrace(): boolean {
  const has = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
  if (!has) console.log('Skipped: strace is not here, or may not be used.');
  return has;
}
