import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrustError } from '@mesh-registry/protocol/truth/trust.ts';
import { until } from '../support/until.ts';
import { aPeer, blocks, isConnected, networkTruth, startPeer } from './peers.ts';

/** What a peer keeps on disk, and what becomes of it when the disk does not do its part. */

test('whom it has reached is dialled after a restart without Genesis', async () => {
  // These dial nobody but Genesis, so only the third one can have dialled, before and after.
  const genesis = await aPeer({ outbound: 0 });
  const dialled = await aPeer({ genesis: [genesis.address], outbound: 0 });
  const dialler = await aPeer({ genesis: [genesis.address] });
  await until('they know each other', () => isConnected(dialler, dialled));
  await dialler.stop();
  const again = await startPeer({ ...dialler.options, genesis: [] });
  await until('they are connected again', () => isConnected(again, dialled));
  expect(again.of('connected')).toContainEqual({
    kind: 'connected',
    peer: dialled.id,
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

test('a bit that the disk has flipped is told, fetched again, and nobody’s fault', async () => {
  const one = await aPeer();
  const friend = await aPeer({ genesis: [one.address] });
  await until('they are connected', () => isConnected(one, friend));
  const stored = blocks(20);
  await one.peer.takeBlocks(stored);
  await until('the friend has them', () => friend.peer.log.head.height === 20);
  const file = join(one.directory, 'log', '000000000001.blocks');
  const bytes = readFileSync(file);
  const at = bytes.indexOf('block 12');
  bytes[at] = bytes[at]! ^ 1;
  writeFileSync(file, bytes);

  const newcomer = await aPeer({ genesis: [one.address] });
  await until('the newcomer has them', () => newcomer.peer.log.head.height === 20);
  await until('the disk has them again', () => one.peer.log.head.height === 20);
  expect(readFileSync(file).includes(stored[11]!)).toBe(true);
  expect(one.peer.status.alarms).toMatchObject([
    { kind: 'storage', detail: expect.stringMatching(/^Block 12 of the log was damaged/) },
  ]);
  for (const peer of [one, friend, newcomer]) expect(peer.of('fault')).toEqual([]);
});
