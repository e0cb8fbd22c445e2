import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createDurable,
  readJsonFile,
  readJsonIfWhole,
  removeUnfinished,
  writeDurable,
} from './durable-file.ts';

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'durable-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function hasStrace(): boolean {
  const has = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
  if (!has) console.log('Skipped: strace is not here, or may not be used.');
  return has;
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('a durable file', () => {
  it('is for its owner alone, as is every folder that is made for it', () => {
    const path = folder();
    const file = join(path, 'peer', 'log', 'state.json');
    writeDurable(file, '{}');
    expect(modeOf(file)).toBe(0o600);
    expect(modeOf(join(path, 'peer', 'log'))).toBe(0o700);
    expect(modeOf(join(path, 'peer'))).toBe(0o700);
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  it('is replaced, and nothing else stays in the folder', () => {
    const path = folder();
    const file = join(path, 'state.json');
    writeDurable(file, 'first');
    writeDurable(file, Buffer.from('second'));
    expect(readFileSync(file, 'utf8')).toBe('second');
    expect(readdirSync(path)).toEqual(['state.json']);
  });

  it('does not get the rights of what a killed process left beside it', () => {
    const file = join(folder(), 'state.json');
    writeFileSync(`${file}.new`, 'half of');
    chmodSync(`${file}.new`, 0o666);
    writeDurable(file, 'all');
    expect(modeOf(file)).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe('all');
  });

  it('stays as it was when it cannot be replaced', () => {
    const path = folder();
    const place = join(path, 'state');
    mkdirSync(join(place, 'inside'), { recursive: true });
    expect(() => writeDurable(place, 'text')).toThrow();
    expect(readdirSync(path)).toEqual(['state']);
    expect(readdirSync(place)).toEqual(['inside']);
  });

  it('that is made once is never overwritten', () => {
    const path = folder();
    const file = join(path, 'identity.key');
    createDurable(file, 'first');
    expect(() => createDurable(file, 'second')).toThrow(
      expect.objectContaining({ code: 'EEXIST' }),
    );
    expect(readFileSync(file, 'utf8')).toBe('first');
    expect(modeOf(file)).toBe(0o600);
    expect(readdirSync(path)).toEqual(['identity.key']);
  });

  it.skipIf(!hasStrace())(
    'of a process killed while it makes a key leaves no copy after the next start',
    () => {
      const path = folder();
      const [program, file] = [join(path, 'program.mjs'), join(path, 'keys', 'identity.key')];
      buildSync({
        stdin: {
          contents: `import { createDurable } from './durable-file.ts'; createDurable(process.argv[2], 'private');`,
          resolveDir: import.meta.dirname,
          loader: 'ts',
        },
        bundle: true,
        platform: 'node',
        format: 'esm',
        outfile: program,
      });
      const killed = spawnSync('strace', [
        ...['-f', '-qq', '-o', '/dev/null', '-e', 'inject=link,linkat:signal=SIGKILL'],
        ...[process.execPath, program, file],
      ]);
      expect(killed.signal).toBe('SIGKILL');
      expect(readdirSync(join(path, 'keys')).length).toBeGreaterThan(0);
      removeUnfinished(file);
      expect(readdirSync(join(path, 'keys')).filter((name) => name !== 'identity.key')).toEqual([]);
    },
  );

  it('that was being written is removed, once nobody writes it any more', () => {
    const path = folder();
    const file = join(path, 'identity.key');
    const dead = spawnSync('true').pid;
    const uuid = '6f1c0f0e-7a63-4f0b-9a53-0d0f7cbb1b0a';
    const left = [`.new-${dead}`, `.new-${process.pid}`, '.new', `.${uuid}`];
    const kept = [`.new-${process.ppid}`, '.next', '.previous', '.backup', `.${uuid}.txt`, '.new-'];
    for (const rest of [...left, ...kept]) {
      writeFileSync(`${file}${rest}`, 'private');
      utimesSync(`${file}${rest}`, 0, 0);
    }
    // Somebody may be at it.
    writeFileSync(`${file}.${uuid.replace('6', '7')}`, 'private');
    removeUnfinished(file);
    expect(readdirSync(path).sort()).toEqual(
      [...kept, `.${uuid.replace('6', '7')}`].map((rest) => `identity.key${rest}`).sort(),
    );
    removeUnfinished(join(path, 'none', 'identity.key'));
  });

  it('of JSON is read; none is null, and a broken one is told unless it does not matter', () => {
    const file = join(folder(), 'state.json');
    expect(readJsonFile(file)).toBeNull();
    writeDurable(file, '{"height":1}');
    expect(readJsonFile(file)).toEqual({ height: 1 });
    writeDurable(file, '{"height":');
    expect(() => readJsonFile(file)).toThrow(SyntaxError);
    expect(readJsonIfWhole(file)).toBeNull();
  });
});
