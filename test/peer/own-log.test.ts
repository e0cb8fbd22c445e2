import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BlockLog } from '@mesh-registry/protocol/log/block-log.ts';
import { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { Inputs } from '@mesh-registry/agent/peer/inputs.ts';
import { chain, withoutSignature } from '../support/blocks.ts';
import { HOUR } from '../support/network-truth.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { aPeer, ROOT } from './peers.ts';

/** What a Genesis host does when the service beside it has another history than before. */

const start = Date.now() - HOUR;
const original = chain({ count: 10, start });
/** The same up to block 3; then as many bytes as before, or more. */
const rewritten = (count: number, text = 'Body of') => [
  ...original.slice(0, 3),
  ...chain({
    count: count - 3,
    after: original[2],
    start,
    body: (height) => Buffer.from(`${text} ${height}`),
  }),
];

function folder(): string {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  return path;
}

async function write(directory: string, ...batches: readonly Buffer[][]): Promise<void> {
  const log = BlockLog.open(directory, { trust: new Trust(ROOT) });
  for (const frames of batches)
    expect(await log.append(frames)).toEqual({ added: frames.length, bad: null });
  await log.close();
}

/** A Genesis host that has taken the blocks of its service, whose log is then another one. */
async function host() {
  const log = join(folder(), 'log');
  await write(log, original);
  const genesis = await aPeer();
  const errors: string[] = [];
  const journal = {
    info: () => {},
    warn: () => {},
    error: (_: string, message: string) => errors.push(message),
    progress: () => {},
  };
  const inputs = () => new Inputs(genesis.peer, { log }, journal);
  const running = inputs();
  await running.look();
  expect([genesis.peer.log.head.height, errors]).toEqual([10, []]);
  return {
    genesis,
    log,
    errors,
    inputs,
    running,
    replace: async (...batches: readonly Buffer[][]) => {
      const other = join(folder(), 'log');
      await write(other, ...batches);
      rmSync(log, { recursive: true });
      cpSync(other, log, { recursive: true });
    },
  };
}

const unsigned = (blocks: readonly Buffer[]) =>
  blocks.map((frame, i, { length }) => (i < length - 1 ? withoutSignature(frame) : frame));

const ALARM = { kind: 'log_fork', detail: 'There are two signed blocks at height 4.' };

for (const [what, blocks] of [
  ['as long, to the byte', rewritten(10)],
  ['as long', rewritten(10, 'what never happened')],
  ['shorter', rewritten(6)],
  ['longer', rewritten(15, 'what never happened')],
  ['longer, with the same bytes up to there', rewritten(15)],
  ['longer, and signed only at its end', unsigned(rewritten(15, 'what never happened'))],
] as const)
  test(`its log was rewritten and is ${what}: one alarm, and no block is taken`, async () => {
    const { genesis, errors, inputs, running, replace } = await host();
    const { head } = genesis.peer.log;
    await replace([...blocks]);
    for (let look = 0; look < 3; look++) await running.look();
    expect(genesis.peer.status.alarms).toMatchObject([ALARM]);
    expect(genesis.of('alarm')).toHaveLength(1);
    expect(errors.at(-1)).toBe(ALARM.detail);
    // Another process, and a log that goes on.
    await inputs().look();
    await replace(rewritten(20, 'what never happened'));
    for (let look = 0; look < 3; look++) await running.look();
    expect(genesis.of('alarm')).toHaveLength(1);
    expect(genesis.peer.log.head).toEqual(head);
  });

test('its log is gone and comes again: no alarm, and the host goes on', async () => {
  const { genesis, log, running } = await host();
  renameSync(log, `${log}.away`);
  for (let look = 0; look < 2; look++) await running.look();
  renameSync(`${log}.away`, log);
  await write(log, chain({ count: 5, after: original[9], start }));
  for (let look = 0; look < 2; look++) await running.look();
  expect(genesis.peer.log.head.height).toBe(15);
  expect(genesis.peer.status.alarms).toEqual([]);
});
