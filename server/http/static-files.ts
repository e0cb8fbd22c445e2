import { getMimeType } from 'hono/utils/mime';
import { hash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '#server/common/errors.schema.ts';
import type { Answer, Bytes } from '#server/live/index.ts';

export interface StaticFile {
  contentType: string;
  headers: Record<string, string>;
  body: Answer;
}

/** The ends of the names of files that the build has compressed. */
const COMPRESSED = { br: '.br', gzip: '.gz' } as const;

/**
 * The build's client files, and the hashed ones of the release before, which open pages still ask for, by the paths under
 * which browsers ask for them. Browsers cache hashed files forever and
 * revalidate the others. The files are listed once, and each stays in memory once somebody has asked for it, some 5 MB in
 * all: a build does not change while it is served.
 * @returns what reads the file of a path, or null if there is none
 */
export function createStaticFiles(directory: string): (path: string) => Promise<StaticFile> | null {
  const paths = new Map([
    ...pathsIn(`${directory}-before`, ['/assets']),
    ...pathsIn(directory, ['', '/assets']),
  ]);
  const files = new Map<string, Promise<StaticFile>>();

  const read = async (path: string, file: string): Promise<StaticFile> => ({
    contentType: getMimeType(path) ?? 'application/octet-stream',
    headers: {
      'cache-control': path.startsWith('/assets/')
        ? 'public, max-age=31536000, immutable'
        : 'no-cache',
    },
    body: await readAnswer(file, (end) => paths.has(path + end)),
  });
  return (path) => {
    const at = paths.get(path);
    if (at === undefined) return null;
    const known = files.get(path);
    if (known) return known;
    const file = read(path, at);
    files.set(path, file);
    file.catch(() => files.delete(path));
    return file;
  };
}

/** @throws AppError `not_found` */
async function readAnswer(file: string, has: (end: string) => boolean): Promise<Answer> {
  const asIs = !Object.values(COMPRESSED).some(has);
  const read = (end: string) =>
    readFile(file + end).catch(() => {
      throw new AppError('not_found', 'This file no longer exists.');
    });
  const body = await read('');
  const tag = `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
  // A strong tag is for the same bytes, whatever the client accepts.
  const etag = asIs ? tag : `W/${tag}`;
  const identity: Bytes = { etag, body, encoding: 'identity' };
  const encodings: Partial<Record<string, Bytes>> = {};
  for (const [encoding, end] of Object.entries(COMPRESSED) as ['br' | 'gzip', string][])
    if (has(end)) encodings[encoding] = { etag, body: await read(end), encoding };
  return {
    etag,
    size: body.length,
    ...(asIs && { asIs }),
    in: (encoding) => encodings[encoding] ?? identity,
  };
}

/** `/favicon.ico`, `/assets/root-CkT3.js`, each with its file. What else the build writes beside them is not for browsers. */
const pathsIn = (directory: string, parents: string[]): (readonly [path: string, file: string])[] =>
  parents
    .filter((parent) => existsSync(`${directory}${parent}`))
    .flatMap((parent) =>
      readdirSync(`${directory}${parent}`, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => [`${parent}/${name}`, join(directory, parent, name)] as const),
    );
