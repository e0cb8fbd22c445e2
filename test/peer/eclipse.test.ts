import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isCrowding } from '@mesh-registry/peer/meeting/dialer.ts';
import type { Lookup } from '@mesh-registry/peer/addresses/resolve.ts';
import { Sessions } from '@mesh-registry/peer/session/sessions.ts';
import { signed } from '../support/peer-records.ts';
import { freePort } from '../support/port.ts';
import { until } from '../support/until.ts';
import { expires, stranger } from './attack-tools.ts';
import { Attacker } from './attacker.ts';
import { aPeer, isConnected, sessionsOf, startPeer, type APeer } from './peers.ts';

/** Nobody becomes all the neighbours of a peer by having many keys. */

test('a peer whose book was filled with invented peers finds its old neighbours after a restart', async () => {
  const genesis = await aPeer();
  const honest = await Promise.all(
    Array.from({ length: 3 }, () => aPeer({ genesis: [genesis.address], outbound: 0 })),
  );
  const victim = await aPeer({
    genesis: [genesis.address],
    outbound: 4,
    intervals: { ping: 2000, gossip: 300, refresh: 1000, dial: 100, save: 200 },
  });
  await until('it has dialled them', () => honest.every((peer) => isConnected(victim, peer)));
  for (const from of ['127.0.0.2', '127.0.0.3']) {
    const liar = await Attacker.create(from);
    onTestFinished(liar.stop);
    const { control } = await liar.enter(victim);
    const said = control.attend();
    for (let message = 0; message < 7; message++)
      await control.send({
        t: 'peers',
        records: Array.from({ length: 64 }, (_, i) => stranger(message * 64 + i)),
      });
    await control.send({ t: 'ping', n: 'read' });
    await until('it has read them', () => said.some(({ t }) => t === 'pong'));
  }
  expect(victim.peer.status.known).toBeGreaterThan(400);
  await sleep(300);
  await victim.stop();
  await genesis.stop();
  const again = await startPeer({ ...victim.options, genesis: [] });
  // They are anchors, which are dialled before all others.
  await until('its neighbours are back', () => honest.every((peer) => isConnected(again, peer)));
  expect(sessionsOf(again).length).toBeGreaterThanOrEqual(3);
});

test('many names that lead to one network are one network', () => {
  const sessions = [
    { outbound: true, group: '203.0.0.0/16' },
    { outbound: true, group: '198.51.0.0/16' },
  ];
  const inbound = { outbound: false, group: '203.0.0.0/16' };
  for (const session of sessions) expect(isCrowding(session, sessions)).toBe(false);
  expect(isCrowding({ outbound: true, group: '203.0.0.0/16' }, sessions)).toBe(true);
  expect(isCrowding({ outbound: true, group: '192.0.0.0/16' }, sessions)).toBe(false);
  // Whoever comes in takes no place of those that it dials.
  expect(isCrowding(inbound, sessions)).toBe(false);
});

const portOf = ({ address }: APeer): number => Number(address.split('/')[4]);

/** All names lead to this machine. */
const toThisMachine = () => vi.fn<Lookup>(() => Promise.resolve([{ address: '127.0.0.1' }]));

/** Has been brought records of peers. */
async function tell(victim: APeer, records: readonly object[]): Promise<void> {
  const messenger = await Attacker.create();
  onTestFinished(messenger.stop);
  const { control } = await messenger.enter(victim);
  const said = control.attend();
  await control.send({ t: 'peers', records });
  await control.send({ t: 'ping', n: 'read' });
  await until('it has read them', () => said.some(({ t }) => t === 'pong'));
}

/** A record of a peer that tells of a name. */
const named = ({ options: { key }, id }: APeer, name: string, port: number) =>
  signed({ key, peer: id }, `/dns4/${name}/tcp/${port}`, { expires });

/** One address at which one of several peers answers. */
async function aFront(behind: APeer) {
  const front = { behind, port: await freePort(), connections: 0, open: 0 };
  const server = createServer((socket) => {
    front.connections++;
    front.open++;
    const inner = connect(portOf(front.behind), '127.0.0.1');
    socket.pipe(inner).pipe(socket);
    socket.on('error', () => inner.destroy());
    socket.on('close', () => {
      front.open--;
      inner.destroy();
    });
    inner.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  });
  server.listen(front.port, '127.0.0.1');
  onTestFinished(() => void server.close());
  return front;
}

test('Genesis is reached by its name, and counts by the address that it has', async () => {
  const added = vi.spyOn(Sessions.prototype, 'add');
  onTestFinished(() => added.mockRestore());
  const genesis = await aPeer();
  const port = portOf(genesis);
  const one = await aPeer({
    genesis: [`/dns4/localhost/tcp/${port}/p2p/${genesis.id}`],
    // It holds for addresses of strangers: Genesis has been chosen by the operator.
    privateAddresses: false,
  });
  await until('they are connected', () => isConnected(one, genesis));
  const dialled = added.mock.calls.flatMap(([session]) => (session.outbound ? [session] : []));
  expect(dialled.map(({ peer, group }) => [peer, group])).toEqual([
    [genesis.id, `127.0.0.1:${port}`],
  ]);
});

test('names that lead to one address get one outbound session', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => aPeer({ outbound: 0 })));
  if (!first || !second) throw new Error('no peers');
  const front = await aFront(first);
  const lookup = toThisMachine();
  const victim = await aPeer({ lookup });
  await tell(victim, [
    named(first, 'a.one.example', front.port),
    named(second, 'b.two.example', front.port),
  ]);
  await until(
    'it has dialled both, and reached the first',
    () => isConnected(victim, first) && lookup.mock.calls.length >= 2 && front.open === 1,
  );
  await sleep(500);
  // From now on the second would answer.
  front.behind = second;
  const { connections } = front;
  const lookUps = lookup.mock.calls.length;
  await until('the second name was looked up again', () => lookup.mock.calls.length > lookUps);
  await sleep(500);
  expect(lookup.mock.calls.at(-1)?.[0]).toBe('b.two.example');
  expect(front.connections).toBe(connections);
  expect(victim.of('connected').filter(({ direction }) => direction === 'outbound')).toEqual([
    { kind: 'connected', peer: first.id, direction: 'outbound' },
  ]);
});

test('of many names that lead to one address and are dialled at a time, one keeps its session', async () => {
  const peers = await Promise.all(Array.from({ length: 4 }, () => aPeer({ outbound: 0 })));
  const [first] = peers;
  if (!first) throw new Error('no peers');
  // Addresses of this machine are a group for each port, so the group is made up.
  const add = Sessions.prototype.add;
  const added = vi.spyOn(Sessions.prototype, 'add').mockImplementation(function (
    this: Sessions,
    session,
  ) {
    Object.assign(session, { group: '203.0.0.0/16' });
    return add.call(this, session);
  });
  onTestFinished(() => added.mockRestore());
  const victim = await aPeer({ lookup: toThisMachine() });
  await tell(
    victim,
    peers.map((peer, n) => named(peer, `a.n${n}.example`, portOf(peer))),
  );
  const ended = () => victim.of('disconnected').filter(({ reason }) => reason === 'crowded');
  const outbound = () =>
    victim.peer.status.sessions.filter(({ direction }) => direction === 'outbound').length;
  await until('it has left the crowd', () => ended().length >= 1 && outbound() === 1);
  await sleep(500);
  expect(outbound()).toBe(1);
});

test('names in records do not lead to private addresses', async () => {
  const target = await aPeer({ outbound: 0 });
  const front = await aFront(target);
  const lookup = toThisMachine();
  const victim = await aPeer({ lookup, privateAddresses: false });
  await tell(victim, [named(target, 'a.example.org', front.port)]);
  await until('it has looked up the name twice', () => lookup.mock.calls.length >= 2);
  await sleep(300);
  expect(front.connections).toBe(0);
  expect(isConnected(victim, target)).toBe(false);
});
