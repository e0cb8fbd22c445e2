import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { EmbeddedError } from '../connection/errors.ts';

/** An account of the machine. */
export interface Account {
  uid: number;
  gid: number;
}

/** Accounts that run PostgreSQL for root, the first that exists. */
const FOR_ROOT = ['mesh-registry', 'nobody'];

/**
 * The account that PostgreSQL runs as, because it refuses to run as root: undefined if it is our own.
 * @param directories whose owners come first, unless they belong to root: an existing cluster, the data directory
 * @throws EmbeddedError if the machine has no such account
 */
export function accountToRunAs(directories: string[]): Account | undefined {
  if (!isRoot()) return undefined;
  for (const directory of directories) {
    const owner = statSync(directory, { throwIfNoEntry: false });
    if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  }
  const accounts = readAccounts();
  const named = FOR_ROOT.flatMap((name) => accounts.filter((one) => one.name === name))[0];
  if (!named)
    throw new EmbeddedError(
      `PostgreSQL does not run as root, and this machine has neither an account "${FOR_ROOT.join('" nor "')}". Create one of them, or run the service as another user.`,
    );
  return { uid: named.uid, gid: named.gid };
}

export const isRoot = (): boolean => process.geteuid?.() === 0;

/**
 * The name of our own account, by which PostgreSQL knows who connects.
 * @throws EmbeddedError if the machine has none for our user ID, as in some containers
 */
export function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new EmbeddedError(
      `User ID ${process.geteuid?.()} has no account on this machine, and PostgreSQL needs its name. Add it to /etc/passwd, or run the service as a user who is there.`,
    );
  }
}

/** The names by which the machine knows an account; none where it is only a number. */
export const namesOf = ({ uid }: Account): string[] =>
  readAccounts()
    .filter((one) => one.uid === uid)
    .map(({ name }) => name);

/** Whether an account reaches a directory: through all those above it. */
export function canEnter(account: Account, directory: string): boolean {
  const test = ['-c', 'cd "$1"', 'sh', directory];
  return spawnSync('/bin/sh', test, { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}

function readAccounts(): (Account & { name: string })[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid !== 0 && Number.isInteger(uid) && Number.isInteger(gid));
}
