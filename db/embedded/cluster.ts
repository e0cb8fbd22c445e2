import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '@mesh-registry/protocol/durable-file.ts';
import { namesOf, ownName, type Account } from './account.ts';
import { ENVIRONMENT, majorOf, type Binaries } from './binaries.ts';
import { LOW_BYTES } from './disk-space.ts';
import { EmbeddedError } from '../connection/errors.ts';
import { writeOwned } from './owned-file.ts';
import type { ServerOptions } from './postmaster.ts';
import { asArguments } from './settings.ts';

/** The files of a PostgreSQL server, a "cluster" in its own terms. */

/** Role and database of the service. The role may do everything in its database, and nothing else. */
export const NAME = 'mesh_registry';
/** The role that may do everything, for whoever runs the service. */
const ADMINISTRATOR = 'postgres';
/** Both roles have this password where no Unix socket is possible. Only whoever may read the cluster can read it. */
const PASSWORD_FILE = 'loopback-password';

/** What an empty cluster and its log take, bytes. */
const CLUSTER_BYTES = 80 * 1024 * 1024;

/**
 * Creates a cluster with an empty database for the service. It is written beside and then renamed, so that a start that
 * is killed halfway leaves nothing that looks like a database; after a power cut it is there whole or not at all.
 * @throws EmbeddedError
 */
export function createCluster({
  binaries,
  account,
  cluster,
  settings,
}: Pick<ServerOptions, 'binaries' | 'account' | 'cluster' | 'settings'>): void {
  const home = dirname(cluster);
  const { bavail, bsize } = statfsSync(home);
  if (bavail * bsize < CLUSTER_BYTES + LOW_BYTES)
    throw new EmbeddedError(
      `There is not enough space in ${home} for a database: it needs ${Math.ceil((CLUSTER_BYTES + LOW_BYTES) / 1e6)} MB to start with.`,
    );
  const draft = `${cluster}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  if (account) chownSync(draft, account.uid, account.gid);
  const password = randomBytes(18).toString('base64url');
  const run = (program: string, args: string[], input = '') =>
    runProgram(join(binaries.directory, 'bin', program), args, account, input);
  try {
    run('initdb', [
      `--pgdata=${draft}`,
      `--username=${ADMINISTRATOR}`,
      '--auth=reject',
      '--data-checksums',
      // PostgreSQL's own C.UTF-8 sorts the same on every machine, whatever locales are installed.
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(settings['fsync'] === 'off' ? ['--no-sync'] : []),
    ]);
    const said = run(
      'postgres',
      ['--single', '-D', draft, ...asArguments(settings), ADMINISTRATOR],
      [
        `alter role ${ADMINISTRATOR} password '${password}'`,
        `create role ${NAME} login password '${password}'`,
        `create database ${NAME} owner ${NAME}`,
        '',
      ].join(';\n'),
    );
    // Errors of statements do not end it.
    if (/\b(ERROR|FATAL|PANIC):/.test(said)) throw new EmbeddedError(said);
    writeOwned(join(draft, PASSWORD_FILE), password, account);
    renameSync(draft, cluster);
    syncFolder(home);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/**
 * @throws EmbeddedError if another major version of PostgreSQL made the cluster: it is left as it is
 */
export function requireSameMajor(cluster: string, binaries: Binaries): void {
  const path = join(cluster, 'PG_VERSION');
  if (!existsSync(path))
    throw new EmbeddedError(
      `${cluster} is not a PostgreSQL database: it has no PG_VERSION. Move it away, or set DATA_DIR to another directory.`,
    );
  const [made, own] = [readFileSync(path, 'utf8').trim(), majorOf(binaries)];
  if (made === own) return;
  const release = Number(made) < Number(own) ? 'an earlier' : 'a later';
  throw new EmbeddedError(
    `${cluster} was made by PostgreSQL ${made}, and this release has PostgreSQL ${own}; nothing was changed. Back it up with ${release} release of this service, the one that made it (npm run backup), move ${cluster} away, and restore the file with this one (npm run restore -- <file>).`,
  );
}

/** Whoever connects is known by the account of its process; over loopback by the password. Nobody is trusted. */
export function writeAccess(cluster: string, account: Account | undefined): void {
  const names = new Set([ownName(), 'root', ...(account ? namesOf(account) : [])]);
  const rules = ['local all all peer map=service', 'host all all 127.0.0.1/32 scram-sha-256', ''];
  const map = [...names].flatMap((name) =>
    [NAME, ADMINISTRATOR].map((role) => `service "${name.replaceAll('"', '""')}" ${role}`),
  );
  writeOwned(join(cluster, 'pg_hba.conf'), rules.join('\n'), account);
  writeOwned(join(cluster, 'pg_ident.conf'), [...map, ''].join('\n'), account);
}

export const passwordOf = (cluster: string): string =>
  readFileSync(join(cluster, PASSWORD_FILE), 'utf8').trim();

/** Returns what it writes to stderr. @throws EmbeddedError if it fails */
function runProgram(
  program: string,
  args: string[],
  account: Account | undefined,
  input: string,
): string {
  const { status, signal, error, stderr } = spawnSync(program, args, {
    ...account,
    cwd: '/',
    env: ENVIRONMENT,
    encoding: 'utf8',
    input,
  });
  if (error || status !== 0)
    throw new EmbeddedError(
      `The database cannot be created (${error?.message ?? status ?? signal}): ${stderr.trim()}`,
    );
  return stderr;
}
