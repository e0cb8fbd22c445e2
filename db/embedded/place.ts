import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { accountToRunAs, canEnter, isRoot, type Account } from './account.ts';
import { EmbeddedError } from '../connection/errors.ts';

/** Where the embedded database of a data directory is, and who runs it. */
export interface Place {
  /** This directory has the cluster and, where node_modules cannot be used, the programs. It belongs to us. */
  readonly home: string;
  /** Its files, a "cluster" in PostgreSQL's terms. They belong to the account. */
  readonly cluster: string;
  /** Undefined: our own. */
  readonly account: Account | undefined;
}

/** The directory of release 0.1, whose engine was another one. It is never touched. */
const OLD = 'pg';
const CLUSTER = 'postgres';
/** This file is there while a backup of that release is restored: until it is complete, no database may be started. */
const UNFINISHED = 'restore-unfinished';
/** Where root's databases are if its data directory is below /root, where no other account gets. */
const ELSEWHERE = '/var/lib/mesh-registry-embedded';
/** This file names the data directory that a home elsewhere belongs to. */
const OWNER_FILE = 'data-dir';

/** Where a running service has its cluster. Null if there is none. */
export function existingCluster(dataDir: string): string | null {
  const cluster = join(dataDir, CLUSTER);
  return existsSync(cluster) ? realpathSync(cluster) : null;
}

/** @throws EmbeddedError if a data directory has no database */
export function requireCluster(dataDir: string): void {
  refuseOldRelease(dataDir);
  if (existingCluster(dataDir) === null)
    throw new EmbeddedError(`There is no database in ${dataDir}. Check DATA_DIR and DATABASE_URL.`);
}

/** @throws EmbeddedError if a data directory has only a database of release 0.1, saying how to move it to this one */
export function refuseOldRelease(dataDir: string): void {
  if (!existsSync(join(dataDir, OLD))) return;
  if (existingCluster(dataDir) !== null && !existsSync(join(dataDir, UNFINISHED))) return;
  throw new EmbeddedError(
    `${join(dataDir, OLD)} is a database of release 0.1, whose files this release cannot read; nothing was changed. Back it up with the last version that reads it, then restore the file with this one (npm run restore -- <file>): see “From release 0.1” in docs/operate.md.`,
  );
}

/**
 * Call before a restore. Beside a database of release 0.1, the new one counts only once the restore is complete:
 * otherwise a start would find an empty database.
 * @returns call when it is complete
 */
export function beginRestore(dataDir: string): () => void {
  const mark = join(dataDir, UNFINISHED);
  if (existsSync(join(dataDir, OLD)) && existingCluster(dataDir) === null)
    writeFileSync(mark, '', { flush: true, mode: 0o600 });
  return () => rmSync(mark, { force: true });
}

/**
 * Finds or chooses the place of the embedded database, and prepares its directories. The caller holds the lock of the
 * data directory.
 * @throws EmbeddedError if PostgreSQL cannot run there, saying what to change
 */
export function preparePlace(dataDirectory: string): Place {
  const dataDir = realpathSync(dataDirectory);
  const cluster = join(dataDir, CLUSTER);
  const link = lstatSync(cluster, { throwIfNoEntry: false });
  if (link?.isSymbolicLink()) {
    const target = resolve(dataDir, readlinkSync(cluster));
    if (dirname(dirname(target)) === ELSEWHERE) return placeElsewhere(dataDir, dirname(target));
    if (!existsSync(target))
      throw new EmbeddedError(`${cluster} leads to ${target}, which does not exist.`);
  }

  const account = accountToRunAs([cluster, dataDir]);
  if (link) requireOwner(cluster, account);
  if (account && !openTo(account, dataDir)) {
    if (link)
      throw new EmbeddedError(
        `PostgreSQL runs as user ${account.uid}, who cannot enter ${dataDir}: make the directories above it accessible (chmod a+x), or move it.`,
      );
    return placeElsewhere(dataDir, homeElsewhere(dataDir));
  }
  return { home: dataDir, cluster: existingCluster(dataDir) ?? cluster, account };
}

/** Below /var/lib, one directory for each data directory. */
export const homeElsewhere = (dataDir: string): string =>
  join(ELSEWHERE, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));

function placeElsewhere(dataDir: string, home: string): Place {
  const cluster = join(home, CLUSTER);
  const link = join(dataDir, CLUSTER);
  const account = accountToRunAs([cluster]);
  const owner = join(home, OWNER_FILE);
  if (existsSync(owner)) {
    const of = readFileSync(owner, 'utf8').trim();
    if (of !== dataDir)
      throw new EmbeddedError(
        `The database that ${link} leads to belongs to ${of}. If that directory was moved here, write ${dataDir} into ${owner}; if it was copied, remove ${link} and restore a backup.`,
      );
    if (existsSync(cluster) && !lstatSync(link, { throwIfNoEntry: false }))
      throw new EmbeddedError(
        `${cluster} is the database of ${dataDir}, but ${link} is missing. To use it again: ln -s ${cluster} ${link}. To start with an empty one, remove ${home}.`,
      );
  } else {
    if (!isRoot()) throw new EmbeddedError(`${link} leads to ${home}, which does not exist.`);
    mkdirSync(home, { recursive: true });
    for (const directory of [ELSEWHERE, home]) chmodSync(directory, 0o711);
    writeFileSync(owner, `${dataDir}\n`, { flush: true, mode: 0o600 });
  }
  if (existsSync(cluster)) requireOwner(cluster, account);
  // The link comes before the cluster: one without a link is one that somebody has taken out of use.
  if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(cluster, link);
  if (account && !canEnter(account, home))
    throw new EmbeddedError(
      `PostgreSQL runs as user ${account.uid}, who can enter neither ${dataDir} nor ${home}. Set DATA_DIR to a directory that this user can enter.`,
    );
  return { home, cluster, account };
}

/** Whether the account can enter the data directory, once that is as open as it needs to be. */
function openTo(account: Account, dataDir: string): boolean {
  if (canEnter(account, dataDir)) return true;
  // Others may only enter: the names of the files stay hidden.
  const { mode } = statSync(dataDir);
  chmodSync(dataDir, mode | 0o011);
  if (canEnter(account, dataDir)) return true;
  // A directory above it is closed.
  chmodSync(dataDir, mode);
  return false;
}

function requireOwner(cluster: string, account: Account | undefined): void {
  const { uid } = statSync(cluster);
  const wanted = account?.uid ?? process.geteuid?.();
  if (uid === wanted) return;
  throw new EmbeddedError(
    account
      ? `${cluster} belongs to root, and PostgreSQL does not run as root. Give it back to the user it belonged to: chown -R <user> ${cluster}.`
      : `${cluster} belongs to user ${uid}, but the service runs as user ${wanted}. Run it as that user, or change the owner: chown -R ${wanted} ${cluster}.`,
  );
}
