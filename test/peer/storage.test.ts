import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrustError } from '@mesh-registry/protocol/truth/trust.ts';
import { until } from '../support/until.ts';
import { aPeer, blocks, isConnected, networkTruth, startPeer, type APeer } from './peers.ts';

/** What a peer keeps on disk, and what becomes of it when the disk does not do its part. */

const QUICKLY = { ping: 1000, gossip: 300, refresh: 500, dial: 100, save: 100 };

/** Whether its files say that a peer has reached another one. */
function hasStored({ directory }: APeer, { id }: APeer): boolean {
  const file = join(directory, 'peers.json');
  return existsSync(file) && readFileSync(file, 'utf8').includes(id);
}

test('whom it has reached is dialled after a restart without Genesis', async () => {
  const friend = await aPeer();
  const one = await aPeer({ genesis: [friend.address], intervals: QUICKLY });
  const other = await aPeer({ genesis: [friend.address], intervals: QUICKLY });
  // Only one of them may have dialled.
  await until('it is stored', () => hasStored(one, other) || hasStored(other, one));
  const [dialler, dialled] = hasStored(one, other) ? [one, other] : [other, one];
  await dialler.stop();
  await Promise.all([friend.stop(), dialled.stop()]);
  // Who knows nobody any more can only be dialled.
  rmSync(join(dialled.directory, 'peers.json'), { force: true });
  const reached = await startPeer({ ...dialled.options, genesis: [] });
  const again = await startPeer({ ...dialler.options, genesis: [] });
  await until('they are connected again', () => isConnected(again, reached));
  expect(again.of('connected')).toContainEqual({
    kind: 'connected',
    peer: reached.id,
    direction: 'outbound',
  });
});

test('what can be learned again may be damaged; what it believes must not', async () => {
  const one = await aPeer();
  one.peer.takeTruth({ roots: [], truth: networkTruth() });
  await one.stop();
  for (const name of ['peers.json', 'conduct.json', 'alarms.json'])
    writeFileSync(join(one.directory, name), '{"peers":[{');
  const again = await startPeer(one.options);
  expect(again.peer.status).toMatchObject({ known: 0, truth: { version: 1 }, alarms: [] });
  await again.stop();
  for (const text of ['{"roots":[', 'null', '{}']) {
    writeFileSync(join(one.directory, 'trust.json'), text);
    await expect(startPeer(one.options)).rejects.toThrow(TrustError);
  }
});

test('a disk that takes nothing more ends nothing, and is told', async () => {
  const one = await aPeer();
  const friend = await aPeer({ genesis: [one.address] });
  await until('they are connected', () => isConnected(one, friend));
  // There is no folder any more, and no other one can be made.
  rmSync(one.directory, { recursive: true });
  writeFileSync(one.directory, '');
  one.peer.takeTruth({ roots: [], truth: networkTruth() });
  expect(one.of('storage')).toHaveLength(1);
  expect(one.peer.status.truth?.version).toBe(1);
  await until('the other one has it too', () => friend.peer.status.truth?.version === 1);
  // Whoever has blocks for it is not to blame.
  await friend.peer.takeBlocks(blocks(3));
  await until('it cannot take the blocks', () => one.of('storage').length === 2);
  expect(one.of('fault')).toEqual([]);
  await until('the session is there', () => isConnected(one, friend));
  await one.stop();
});
