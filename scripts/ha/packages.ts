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

/** @throws Error that names the missing packages of Debian */
export function findPrograms(): Programs {
  const missing: string[] = [];
  const need = (name: string, path: string | undefined): string => {
    if (path === undefined) missing.push(name);
    return path ?? '';
  };
  const found = {
    patroni: need('patroni', which('patroni')),
    etcd: need('etcd-server', which('etcd')),
    haproxy: need('haproxy', which('haproxy') ?? existing('/usr/sbin/haproxy')),
    postgresBin: need('postgresql', postgresBin()),
  };
  if (missing.length === 0) return found;
  const packages = missing.join(' ');
  throw new Error(
    `Missing on this machine: ${missing.join(', ')}. On Debian and Ubuntu: apt-get install ${packages}`,
  );
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
