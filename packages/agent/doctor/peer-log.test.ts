import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Alarms } from '@mesh-registry/peer/guard/alarms.ts';
import { keptLogOf } from '@mesh-registry/peer/sync/peer-log.ts';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { decodeBlock } from '@mesh-registry/protocol/log/block.ts';
import { chain, trustNow } from '../../../test/support/blocks.ts';
import { START, truth } from '../../../test/support/network-truth.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { checkLog } from './peer-log.ts';

const frames = chain({ count: 10 });

async function aPeerDirectory(): Promise<string> {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const log = BlockLog.open(join(path, 'log'), { trust: trustNow() });
  await log.append(frames);
  await log.close();
  return path;
}

const trusting = (height: number, id: string) => {
  const trust = trustNow();
  trust.takeTruth(truth({ log: { height, id } }));
  return trust;
};
const idOf = (height: number) => decodeBlock(frames[height - 1]!).id;

test('a log is compared with the truth, and says how to get the right one', async () => {
  const directory = await aPeerDirectory();
  const checked = (...block: Parameters<typeof trusting>) =>
    checkLog(directory, trusting(...block), true).map(({ level, message }) => [level, message]);
  expect(checked(7, idOf(7))).toEqual([['OK', '10 blocks, matching the truth']]);
  expect(checked(12, idOf(7))).toEqual([['OK', '10 blocks of 12 covered by the truth']]);
  expect(checked(7, idOf(8))).toEqual([['FAIL', "its block 7 isn't the one pinned in the truth"]]);
  const remedy = (isRunning: boolean) =>
    checkLog(directory, trusting(7, idOf(8)), isRunning)[0]?.remedy;
  expect(remedy(true)).toMatch(/^Keep the peer process running: /);
  expect(remedy(false)).toMatch(/^Start the peer process \(mesh-agent peer\): /);
  expect(checkLog(join(directory, 'nowhere'), trustNow(), false)).toEqual([]);
});

test('evidence that is kept is shown, with the command that removes it', async () => {
  const directory = await aPeerDirectory();
  mkdirSync(keptLogOf(join(directory, 'log'), new Date(START)));
  const alarms = new Alarms(directory);
  alarms.raise('log_fork', 'There are two signed blocks at height 4.', new Uint8Array());
  alarms.save();
  const checks = () => checkLog(directory, trusting(7, idOf(7)), false);
  const [log, ...evidence] = checks();
  expect(log?.level).toBe('OK');
  expect(evidence.map(({ name, level }) => [name, level])).toEqual([
    ['Earlier log', 'WARN'],
    ['Alarm', 'WARN'],
  ]);
  expect(evidence[0]?.message).toContain(join(directory, 'log.forked-2026-06-01T000000Z'));
  expect(evidence[1]?.message).toContain('two signed blocks at height 4');
  for (const { remedy } of evidence)
    execFileSync('sh', ['-c', /: (rm .*)$/.exec(remedy ?? '')?.[1] ?? 'false']);
  expect(checks()).toEqual([log]);
  expect(existsSync(join(directory, 'log'))).toBe(true);
});
