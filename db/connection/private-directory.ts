import { closeSync, constants, fchmodSync, lstatSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What the service makes in a data directory, beside the database, whose files are PostgreSQL's own affair. */
const OWN_FILES = /^(auth-secret|mesh\.lock|restore-unfinished)(\.|$)/;
/** Other names that belong there: the database, its programs, the one of release 0.1, pictures, backups, and what a disk has. */
const AT_HOME = /^(postgres|postgres\.new|postgres-binaries|pg|pictures|backups|lost\+found)$/;

/** The rights of a group and of everybody. */
const OTHERS = 0o077;

interface Log {
  warn(fields: object, message: string): void;
}

/** Never of what a link names: whoever owns the directory may put one there after it was looked at. */
function changeMode(path: string, mode: number): void {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

/**
 * Takes from others the rights to what the service keeps: an old release, a mask, or somebody who copied it may have given
 * them. A directory that has other files as well is not the service's own: it stays as it is, which is logged.
 * @param passable whether other accounts have to get through the directory, without seeing what is in it
 */
export function keepPrivate(
  directory: string,
  { passable }: { passable: boolean },
  log: Log,
): void {
  const mended: string[] = [];
  const take = (path: string, wanted: number): void => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || stats.isSymbolicLink() || (stats.mode & OTHERS & ~wanted) === 0) return;
    try {
      changeMode(path, wanted);
      mended.push(`${path} (${(stats.mode & 0o777).toString(8)})`);
    } catch (error) {
      log.warn(
        { err: error, path },
        'others can read what the service keeps, and it may not change that',
      );
    }
  };
  const names = readdirSync(directory);
  for (const name of names) if (OWN_FILES.test(name)) take(join(directory, name), 0o600);
  const strangers = names.filter((name) => !OWN_FILES.test(name) && !AT_HOME.test(name));
  if (strangers.length === 0) take(directory, passable ? 0o711 : 0o700);
  else if ((lstatSync(directory).mode & OTHERS & ~0o011) !== 0)
    log.warn(
      { directory, strangers: strangers.length },
      'others can list the data directory; it has files that are not the service’s, so its mode stays: give the service a directory of its own',
    );
  if (mended.length > 0)
    log.warn(
      { mended },
      'others could read or change what the service keeps: its modes are mended',
    );
}
