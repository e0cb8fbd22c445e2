import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { KEY_LENGTH, KeptPictures } from './kept-pictures.ts';
import { createPictures } from './pictures.ts';

const directory = temporaryDirectory();
const folder = join(directory.path, 'pictures');
const errors: unknown[] = [];
const create = (folder: string | null) =>
  createPictures({ folder, onError: (error) => errors.push(error) });
const pictures = create(null);
afterAll(async () => {
  await pictures.stop();
  directory.remove();
});

const ME = 'a client';
const svg = (n: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="${n}" height="10"/></svg>`;
const files = () => readdirSync(folder).map((name) => join(folder, name));

test('a picture is drawn once, however many ask and whenever', async () => {
  const { etag } = pictures.picture(svg(1));
  const asked = Array.from({ length: 50 }, () => pictures.picture(svg(1)));
  expect(new Set(asked.map((picture) => picture.etag))).toEqual(new Set([etag]));
  const [first, ...others] = await Promise.all(asked.map((picture, n) => picture.png(`${n}`)));
  for (const png of others) expect(png).toBe(first);
  expect(await pictures.picture(svg(1)).png(ME)).toBe(first);
  expect(pictures.picture(svg(2)).etag).not.toBe(etag);
});

test('forty pictures of one client keep none of fifty others from theirs', async () => {
  const greedy = Array.from({ length: 40 }, (_, n) => pictures.picture(svg(100 + n)).png(ME));
  const others = Array.from({ length: 50 }, (_, n) => pictures.picture(svg(200 + n)).png(`${n}`));
  const drawn = (all: PromiseSettledResult<Buffer>[]) =>
    all.filter(({ status }) => status === 'fulfilled').length;
  const results = await Promise.allSettled(greedy);
  // One is drawn at once, and eight wait.
  expect(drawn(results)).toBe(9);
  expect(results[39]).toMatchObject({ reason: { code: 'rate_limited', retryAfter: 2 } });
  expect(drawn(await Promise.allSettled(others))).toBe(50);
  // A refusal is not remembered.
  await expect(pictures.picture(svg(139)).png(ME)).resolves.toBeInstanceOf(Buffer);
});

test('who asks for a picture that another client is refused gets it', async () => {
  const greedy = Array.from({ length: 12 }, (_, n) => pictures.picture(svg(300 + n)).png(ME));
  const same = Array.from({ length: 12 }, (_, n) => pictures.picture(svg(300 + n)).png(`${n}`));
  expect((await Promise.allSettled(greedy)).map(({ status }) => status)).toContain('rejected');
  for (const png of await Promise.all(same)) expect(png).toBeInstanceOf(Buffer);
});

test('a client that has gone keeps nobody waiting, and others get the picture that it asked for', async () => {
  const gone = new AbortController();
  const asked = Array.from({ length: 5 }, (_, n) =>
    pictures.picture(svg(400 + n)).png(ME, gone.signal),
  );
  const same = pictures.picture(svg(404)).png('another');
  await new Promise(setImmediate);
  gone.abort();
  const [first, ...others] = await Promise.allSettled(asked);
  // It was being drawn.
  expect(first?.status).toBe('fulfilled');
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(await same).toBeInstanceOf(Buffer);
});

test('what can’t be drawn is an error, and the next picture is drawn', async () => {
  await expect(pictures.picture('<svg').png(ME)).rejects.toThrow();
  await expect(pictures.picture(svg(3)).png(ME)).resolves.toBeInstanceOf(Buffer);
});

test('after the thread has ended another one takes its place', async () => {
  await pictures.stop();
  await expect(pictures.picture(svg(4)).png(ME)).resolves.toBeInstanceOf(Buffer);
});

test('text is drawn, in every script of the font', async () => {
  const drawn = (text: string) =>
    pictures
      .picture(
        `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="60"><rect width="300" height="60" fill="#fff"/><text y="50" font-size="40">${text}</text></svg>`,
      )
      .png(ME);
  const [nothing, ...texts] = await Promise.all(['', 'garage', 'Гараж', 'Ωμέγα', 'ő'].map(drawn));
  for (const png of texts) expect(png.length).toBeGreaterThan((nothing?.length ?? 0) + 100);
});

test('pictures are kept on disk, for later processes and those beside it; a broken file is drawn again', async () => {
  const first = create(folder);
  const png = await first.picture(svg(5)).png(ME);
  await expect.poll(() => files().length).toBe(1);
  await first.stop();
  const [file = ''] = files();
  // A viewer shows it, whatever follows its end; only the owner may read it.
  expect(readFileSync(file).subarray(0, png.length)).toEqual(png);
  expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);

  // The file is what a second one answers with: it has no thread.
  const kept = () => new KeptPictures({ folder, onError: (error) => errors.push(error) });
  const key = pictures.picture(svg(5)).etag.slice(1, -1);
  expect(await kept().find(key)).toEqual(png);
  const whole = readFileSync(file);
  for (const broken of [
    whole.subarray(0, -1),
    whole.subarray(0, 10),
    Buffer.alloc(0),
    Buffer.alloc(whole.length),
  ]) {
    writeFileSync(file, broken);
    expect(await kept().find(key)).toBeNull();
  }
  const again = create(folder);
  expect(await again.picture(svg(5)).png(ME)).toEqual(png);
  await expect.poll(() => readFileSync(file)).toEqual(whole);
  await again.stop();
  expect(errors).toEqual([]);
});

test('what was not asked for the longest leaves the folder, and what nobody has finished, but nothing of others', async () => {
  const small = join(directory.path, 'small');
  const kept = new KeptPictures({
    folder: small,
    maxBytes: 5000,
    tidyAfter: 1000,
    onError: (error) => errors.push(error),
  });
  const key = (letter: string) => letter.repeat(KEY_LENGTH);
  const file = (letter: string) => `${key(letter)}.png`;
  const ago = (name: string, minutes: number) => {
    const at = new Date(Date.now() - minutes * 60_000);
    utimesSync(join(small, name), at, at);
  };
  const letters = ['a', 'b', 'c', 'd'];
  for (const letter of letters) await kept.keep(key(letter), Buffer.alloc(1100));
  letters.forEach((letter, n) => ago(file(letter), 10 - n));
  const [abandoned, fresh] = [`${file('x')}.1.new`, `${file('y')}.2.new`];
  for (const name of [abandoned, fresh, 'logo.png', 'notes.new'])
    writeFileSync(join(small, name), Buffer.alloc(2000));
  mkdirSync(join(small, file('f')));
  const others = ['logo.png', 'notes.new', file('f')];
  for (const name of [abandoned, ...others]) ago(name, 20);
  expect(await kept.find(key('a'))).toHaveLength(1100);
  await kept.keep(key('e'), Buffer.alloc(1100));
  const left = ['a', 'c', 'd', 'e'].map(file);
  expect(readdirSync(small).sort()).toEqual([...left, fresh, ...others].sort());
  expect(errors).toEqual([]);
});

test('pictures are drawn without a place to keep them, which is said once, or with little room', async () => {
  const nowhere = create(join(files()[0] ?? '', 'no folder'));
  for (const n of [6, 7])
    await expect(nowhere.picture(svg(n)).png(ME)).resolves.toBeInstanceOf(Buffer);
  await nowhere.stop();
  await expect.poll(() => errors.splice(0)).toMatchObject([{ code: 'ENOTDIR' }]);
  const tight = new KeptPictures({
    folder,
    freeMin: Infinity,
    onError: (error) => errors.push(error),
  });
  await tight.keep('another', Buffer.alloc(10));
  expect([await tight.find('another'), errors]).toEqual([null, []]);
});
