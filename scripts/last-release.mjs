// The browser's files of the release before: pages that are open while a server is upgraded still ask for them.
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What a build leaves for browsers; the same of the build before, while the next one is made; and of the release before. */
const [CLIENT, LAST, BEFORE] = ['client', 'client-last', 'client-before'];

/** Whether a folder of the build is none of the build's own. @param {string} name */
export const isOfLastRelease = (name) => name === LAST || name === BEFORE;

/** Puts the files of the last build aside. After one that failed, they are there already. @param {string} build */
export function setAside(build) {
  if (existsSync(join(build, LAST)) || !existsSync(join(build, CLIENT, 'assets'))) return;
  renameSync(join(build, CLIENT), join(build, LAST));
}

/**
 * Once the next build is there, keeps the files put aside in place of those of a release before. A build of the same sources
 * is no other release.
 * @param {string} build
 */
export function keepLast(build) {
  const [client, last, before] = [CLIENT, LAST, BEFORE].map((name) => join(build, name));
  if (!existsSync(last)) return;
  const names = (folder) => readdirSync(join(folder, 'assets')).sort().join();
  if (names(last) === names(client)) rmSync(last, { recursive: true });
  else {
    rmSync(before, { recursive: true, force: true });
    renameSync(last, before);
  }
}
