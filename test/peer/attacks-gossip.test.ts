import { expect, test } from 'vitest';
import { LIMITS } from '@mesh-registry/peer/base/limits.ts';
import { aSubject, signed } from '../support/peer-records.ts';
import { until } from '../support/until.ts';
import { expectCut, expires, flood, longAddresses, stranger } from './attack-tools.ts';
import { underAttack } from './under-attack.ts';

/** What a peer does with records of peers, made up or forged. The friend of its victim must not notice. */

test.concurrent('forged records', async ({ onTestFinished }) => {
  const { victim, friend, attacker, expectFriendship } = await underAttack(onTestFinished);
  const forger = await attacker();
  const forged = {
    ...stranger(1),
    signatures: signed(aSubject(), '/ip4/8.8.8.8/tcp/1').signatures,
  };
  const sent = await flood(await forger.enter(victim), () => ({ t: 'peers', records: [forged] }));
  expect(sent).toBeGreaterThanOrEqual(4);
  expectCut(victim, forger.id, 25);
  expect(victim.peer.status.known).toBe(1);
  expect(friend.of('fault')).toEqual([]);
  await expectFriendship();
});

test.concurrent('a record that is no text or number where it has to be, in the hello and later', async ({
  onTestFinished,
}) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  const claim = JSON.stringify({ peer: { toString: 1, valueOf: 1 }, seq: 1 });
  const record = { ...stranger(1), payload: Buffer.from(claim).toString('base64') };
  const liar = await attacker();
  const { control } = await liar.enter(victim, { record });
  const said = control.attend();
  await control.send({ t: 'peers', records: [record] });
  await control.send({ t: 'ping', n: 'read' });
  await until('it is answered', () => said.some(({ t, n }) => t === 'pong' && n === 'read'));
  expect(victim.of('fault').map(({ peer, points }) => [peer, points])).toEqual([
    [liar.id, 25],
    [liar.id, 25],
  ]);
  await expectFriendship();
});

test.concurrent('1,792 records of invented peers from one host: few are taken, and nobody is flooded with them', async ({
  onTestFinished,
}) => {
  const { victim, friend, attacker, expectFriendship } = await underAttack(onTestFinished);
  const crowd = await Promise.all(Array.from({ length: 4 }, () => attacker()));
  for (const [turn, liar] of crowd.entries()) {
    const { control } = await liar.enter(victim);
    const said = control.attend();
    for (let message = 0; message < 7; message++)
      await control.send({
        t: 'peers',
        records: Array.from({ length: 64 }, (_, i) => stranger(turn * 448 + message * 64 + i)),
      });
    await control.send({ t: 'ping', n: 'read' });
    await until('it is answered', () => said.some(({ t, n }) => t === 'pong' && n === 'read'));
  }
  // On loopback each port is a source, and so is the friend, whom it tells of them; a source brings 256 at most.
  expect(victim.peer.status.known).toBeLessThanOrEqual(1 + 5 * 256);
  // Who passes them on is no flooder.
  expect(friend.of('fault')).toEqual([]);
  expect(victim.of('fault')).toEqual([]);
  await expectFriendship();
});

test.concurrent('long records: what is passed on and answered fits into a message', async ({
  onTestFinished,
}) => {
  const { victim, friend, attacker, expectFriendship } = await underAttack(onTestFinished);
  const liar = await attacker();
  const { control } = await liar.enter(victim);
  control.attend();
  for (let sent = 0; sent < 128; sent += 16)
    await control.send({
      t: 'peers',
      records: Array.from({ length: 16 }, (_, i) =>
        signed(aSubject(), longAddresses(sent + i), { expires }),
      ),
    });
  await until('they are known', () => victim.peer.status.known > 64);
  const asker = await attacker('127.0.0.3');
  const asking = await asker.enter(victim);
  await asking.control.send({ t: 'getpeers' });
  for (;;) {
    const bytes = await asking.control.bytes();
    expect(bytes.byteLength).toBeLessThanOrEqual(LIMITS.controlBytes);
    const { t, n, records } = JSON.parse(Buffer.from(bytes).toString()) as Answer;
    if (t === 'ping') await asking.control.send({ t: 'pong', n });
    if (t === 'peers' && records.length > 10) break;
  }
  expect(friend.of('fault')).toEqual([]);
  await expectFriendship();
});

interface Answer {
  t: string;
  n: string;
  records: object[];
}

test.concurrent('asking for peers without end', async ({ onTestFinished }) => {
  const { victim, attacker, expectFriendship } = await underAttack(onTestFinished);
  const asker = await attacker();
  const entered = await asker.enter(victim);
  const answers = entered.control.attend();
  await flood(entered, () => ({ t: 'getpeers' }));
  const most = LIMITS.messagesBurst / LIMITS.peersRequestCost;
  expect(answers.filter(({ t }) => t === 'peers').length).toBeLessThanOrEqual(2 * most);
  expect(victim.peer.status.sessions).toHaveLength(1);
  await expectFriendship();
});
