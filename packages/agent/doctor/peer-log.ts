import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Alarms } from '@mesh-registry/peer/guard/alarms.ts';
import { isContradicted, keptLogs } from '@mesh-registry/peer/sync/peer-log.ts';
import { BlockReader } from '@mesh-registry/protocol/log/block-reader.ts';
import { DamagedLogError } from '@mesh-registry/protocol/log/segment.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { fail, ok, warn, type Check } from '../terminal/check.ts';

/** What can be checked of the log that the peer process keeps, from its files. @param directory of the peer process */
export function checkLog(directory: string, trust: Trust, isRunning: boolean): Check[] {
  const log = join(directory, 'log');
  const kept = existsSync(directory) ? keptLogs(readdirSync(directory)) : [];
  return [
    ...(existsSync(log) ? [checkBlocks(log, trust, isRunning)] : []),
    ...kept.map((name) =>
      warn(
        'Earlier log',
        `it contradicted the truth and was saved as evidence in ${join(directory, name)}`,
        `Show it to the network's operators, then remove it: rm -r '${join(directory, name)}'`,
      ),
    ),
    ...new Alarms(directory).status.map(({ kind, at, detail }) =>
      warn(
        'Alarm',
        `${detail} (${at})`,
        `${kind === 'storage' ? 'Check the disk and the memory of this machine.' : "Ask the network's operators which one is right."} Once that is settled, stop the peer process and remove the evidence: rm '${join(directory, 'alarms.json')}'`,
      ),
    ),
  ];
}

function checkBlocks(directory: string, trust: Trust, isRunning: boolean): Check {
  try {
    const log = BlockReader.open(directory);
    const { height } = log.head;
    const named = trust.truth?.log.height ?? 0;
    if (isContradicted(log, trust))
      return fail(
        'Log',
        `its block ${named} isn't the one pinned in the truth`,
        `${isRunning ? 'Keep the peer process running' : 'Start the peer process (mesh-agent peer)'}: it replaces this log once a peer has the right one, and keeps this one as evidence.`,
      );
    if (named > height) return ok('Log', `${blocks(height)} of ${named} covered by the truth`);
    return ok('Log', `${blocks(height)}${named > 0 ? ', matching the truth' : ''}`);
  } catch (error) {
    if (!(error instanceof DamagedLogError)) throw error;
    return fail(
      'Log',
      error.message,
      'Restart the peer process: it fetches the missing blocks again.',
    );
  }
}

const blocks = (count: number) => (count === 1 ? '1 block' : `${count} blocks`);
