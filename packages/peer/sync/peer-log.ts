import { existsSync, renameSync, rmSync } from 'node:fs';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';

/** The directory of the log that may replace a peer's own, while it is fetched. */
const besideLog = (directory: string) => `${directory}.new`;

/** The directory to which a log is moved that is replaced. */
export const keptLogOf = (directory: string, now: Date): string =>
  `${directory}.forked-${now.toISOString().replaceAll(/:|\.\d+/g, '')}`;

/** Of the names in a directory, those of logs that were replaced. */
export const keptLogs = (names: readonly string[]): string[] =>
  names.filter((name) => /^log\.forked-[\dTZ-]+$/.test(name));

/** Opens a peer's log. What was being fetched to replace it is dropped, unless the log has made room for it already. */
export function openPeerLog(directory: string, trust: Trust): BlockLog {
  const beside = besideLog(directory);
  if (existsSync(beside) && !existsSync(directory)) renameSync(beside, directory);
  rmSync(beside, { recursive: true, force: true });
  return BlockLog.open(directory, { trust });
}

/** An empty log to replace the one in a directory. */
export function openBeside(directory: string, trust: Trust): BlockLog {
  const beside = besideLog(directory);
  rmSync(beside, { recursive: true, force: true });
  return BlockLog.open(beside, { trust });
}

/** Whether a log has another block than the truth names. One that cannot be read has none. */
export function isContradicted(log: Pick<BlockLog, 'idAt'>, { truth }: Trust): boolean {
  if (!truth || truth.log.height === 0) return false;
  try {
    const ours = log.idAt(truth.log.height);
    return ours !== null && ours !== truth.log.id;
  } catch {
    return false;
  }
}
