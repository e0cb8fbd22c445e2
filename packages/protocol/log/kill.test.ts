import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

beforeAll(() => {
  buildSync({
    stdin: {
      contents: SOURCE,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
  });
});

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
