import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { writeOwned } from './owned-file.ts';

test('a link that somebody has put in the way is replaced, and where it leads nothing changes', () => {
  const { path, remove } = temporaryDirectory();
  const victim = join(path, 'victim');
  writeFileSync(victim, 'precious', { mode: 0o644 });
  for (const name of ['file', 'file.new']) symlinkSync(victim, join(path, name));
  writeOwned(join(path, 'file'), 'ours', undefined);
  expect(readFileSync(victim, 'utf8')).toBe('precious');
  expect(readFileSync(join(path, 'file'), 'utf8')).toBe('ours');
  expect(statSync(join(path, 'file')).mode & 0o777).toBe(0o600);
  remove();
});
