import type { Ping } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { AnnouncedCompute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { NAME_MAX } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { generateNodeKey, nodeKeyText } from '@mesh-registry/protocol/keys/node-key.ts';
import type { PastHeartbeat } from '../../scripts/demo/history.ts';
import { exportFor } from '../../test/review/exports.ts';
import type { FakeClock } from '../../test/support/fake-clock.ts';
import type { TestServer } from '../../test/support/server.ts';
import { cityNodes, ping, pingAll } from './seed.ts';
import { accept, reject, revoke } from '../../test/support/decisions.ts';
import { pin } from '../../test/support/node-keys.ts';

const REVIEWER = 'test';
/** The longest name, without a break. */
const LONG = 'm'.repeat(NAME_MAX);
const CITY_NODES = 30;
const DAY_MS = 24 * 3_600_000;
/** How long an unpaid name is reserved, milliseconds. */
const HOLD_MS = 48 * 3_600_000;

/** A registration: its page, and what reviewers see. */
export interface Seeded {
  path: string;
  name: string;
  note: string;
}

/** Nodes of {@link seedEveryState} that can have joined before it, over half a year. A thief has one of them. */
export function nodesOfEveryState(now: number): PastHeartbeat[] {
  const own = ['node_macmini', 'node_pair', 'Node_Pair', 'node_stolen'].map((nodeId): Ping => {
    return { nodeId, label: 'garage', lat: 48, lng: 11.5 };
  });
  return [...own, ...cityNodes(CITY_NODES)].map(({ status: _, ...node }, n) => ({
    ...node,
    joinedAt: now - (5 + n * 5) * DAY_MS,
    ...(node.nodeId === 'node_stolen' && { silentSince: now - 3 * DAY_MS }),
  }));
}

/** Creates nodes, compute offers, payments, and a registration in each state that its page shows. */
export async function seedEveryState(server: TestServer, clock: Pick<FakeClock, 'advance'>) {
  const { url, services } = server;
  const { registration, computes, payments, nodes, names } = services;
  const start = async (name: string, nodeId = `node_${name}`): Promise<Seeded & { id: string }> => {
    const { id, paymentNote: note } = await registration.start({
      action: 'start',
      name,
      label: name,
      class: 'M',
      region: 'EU',
      nodeId,
      kinds: ['node', 'compute'],
    });
    return { id, name, note, path: `/register/${id}` };
  };
  const claim = async (name: string, nodeId?: string, cashConfirm = '#D-7Q2M41') => {
    const started = await start(name, nodeId);
    await registration.confirm({ id: started.id, cashConfirm });
    return started;
  };
  /** The key of a node is stolen and revoked; its operator has proved one of three registrations anew. */
  const stealKey = async () => {
    const nodeId = 'node_stolen';
    const key = nodeKeyText(generateNodeKey());
    for (const name of ['attic', 'barn', 'cellar']) {
      const { id } = await claim(name, nodeId);
      await registration.claimByKey({ nodeId, id, key });
      if (name !== 'cellar') await accept(services, { id, reviewer: REVIEWER });
    }
    const { identity } = services;
    await identity.reset({ nodeId, reviewer: REVIEWER, reason: 'The laptop was stolen.' });
    const [attic] = (await identity.keysOf(nodeId)).renewed;
    if (attic)
      await registration.claimByKey({
        nodeId,
        id: attic.secretId,
        key: nodeKeyText(generateNodeKey()),
      });
  };
  clock.advance(-HOLD_MS);
  const [lapsed, gone] = [await start('lapsed'), await start('gone')];
  clock.advance(HOLD_MS);

  await pingAll(server, cityNodes(CITY_NODES));
  for (const nodeId of ['node_macmini', 'node_blocked', 'node_hidden', 'node_pair', 'Node_Pair'])
    await ping(url, { nodeId, label: 'garage', lat: 48, lng: 11.5 });
  await pin(server, 'node_pinned', generateNodeKey());
  const active = await claim('garage', 'node_macmini');
  await accept(services, { id: active.id, reviewer: REVIEWER });
  const offered = {
    image: 'alpine:3.20',
    visibility: 'public',
    class: 'M',
    backend: 'docker',
  } as const;
  await computes.announce({
    nodeId: 'node_macmini',
    label: 'garage',
    computes: ['garage', 'unlisted'].map((name): AnnouncedCompute => ({
      ...offered,
      name,
      replicas: 4,
      freeSlots: 2,
    })),
  });
  await start('gone');
  const paying = await start('paying');
  const waiting = await claim(LONG, undefined, LONG.repeat(4));
  const decided = await claim('decided', 'node_blocked');
  // For a node that has another name.
  const proved = await claim('proved', 'node_macmini');
  await registration.claimByKey({
    id: proved.id,
    nodeId: 'node_macmini',
    key: nodeKeyText(generateNodeKey()),
  });
  await stealKey();
  const [rejected, revoked] = [await claim('rejected'), await claim('revoked')];
  const ending = { reviewer: REVIEWER, reason: 'Nothing came.' };
  await reject(services, { id: rejected.id, ...ending });
  await accept(services, { id: revoked.id, reviewer: REVIEWER });
  await revoke(services, { id: revoked.id, ...ending });
  await nodes.remove('node_hidden', null);
  await nodes.block({ nodeId: 'node_blocked', reason: 'It floods.', reviewer: REVIEWER });
  await names.reserve({ name: 'kept', reason: 'For the network.', until: '' }, REVIEWER);
  await payments.import({ text: exportFor([{ ...waiting, name: 'garage' }]) }, REVIEWER);
  const row = await registration.row(waiting.id);
  await services.notifications.save(row, {
    id: row.id,
    kind: 'webhook',
    address: 'https://hooks.example.com/mesh',
    onDecision: true,
    onOffline: true,
    offlineMinutes: 15,
    onReturn: true,
  });
  // Off: nothing may leave for another host.
  await services.notifications.switch(row, false);
  return { lapsed, gone, active, paying, waiting, proved, decided, rejected, revoked };
}
