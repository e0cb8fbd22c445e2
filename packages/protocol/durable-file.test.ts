import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDurable, readJsonFile, readJsonIfWhole, writeDurable } from './durable-file.ts';

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'durable-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
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
