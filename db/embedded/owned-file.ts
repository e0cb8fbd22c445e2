import {
  closeSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { Account } from './account.ts';

/**
 * Writes a file of the cluster, whole or not at all. The directory is the account's: what it puts in our way, a link to
 * a file of root for example, is not followed.
 */
export function writeOwned(path: string, text: string, account: Account | undefined): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    if (account) fchownSync(file, account.uid, account.gid);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
