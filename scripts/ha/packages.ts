import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The programs of the distribution that the cluster consists of. */
export interface Programs {
  patroni: string;
  etcd: string;
  haproxy: string;
  /** The directory of `postgres` and `pg_ctl`. */
  postgresBin: string;
}

const DEBIAN_PACKAGES = {
  patroni: 'patroni',
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  postgresBin: 'postgresql',
};

/** @throws Error that names the missing packages */
export function findPrograms(): Programs {
  const found = {
    patroni: which('patroni'),
    etcd: which('etcd'),
    haproxy: which('haproxy') ?? existing('/usr/sbin/haproxy'),
    postgresBin: postgresBin(),
  };
  const missing = Object.entries(found)
    .filter(([, path]) => path === undefined)
    .map(([name]) => DEBIAN_PACKAGES[name as keyof Programs]);
  if (missing.length > 0)
    throw new Error(
      `Missing on this machine: ${missing.join(', ')}. On Debian and Ubuntu: apt-get install ${missing.join(' ')}`,
    );
  return found as Programs;
}

const which = (program: string): string | undefined =>
  spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim() || undefined;

const existing = (path: string) => (existsSync(path) ? path : undefined);

/** Debian keeps each version's programs in a directory of its own. */
function postgresBin(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, 'bin'))
    .find((directory) => existsSync(join(directory, 'postgres')));
}
