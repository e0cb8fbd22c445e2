import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { keepLast, setAside } from './last-release.mjs';

test('a build keeps the files of the release before, of one only, however often it is made', () => {
  const folder = temporaryDirectory();
  onTestFinished(folder.remove);
  const build = folder.path;
  const assets = join(build, 'client', 'assets');
  const make = (release: string) => {
    setAside(build);
    rmSync(assets, { recursive: true, force: true });
    mkdirSync(assets, { recursive: true });
    writeFileSync(join(assets, `root-${release}.js`), release);
    keepLast(build);
  };
  const before = (release: string) => join(build, 'client-before', 'assets', `root-${release}.js`);
  make('one');
  expect(existsSync(join(build, 'client-before'))).toBe(false);
  make('two');
  make('two');
  expect(readFileSync(before('one'), 'utf8')).toBe('one');
  make('three');
  expect([existsSync(before('one')), existsSync(before('two'))]).toEqual([false, true]);
  expect(existsSync(join(build, 'client-last'))).toBe(false);
});
