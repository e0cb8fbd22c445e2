import { expect, test } from 'vitest';
import { TRUTH } from '@mesh-registry/peer/session/messages.schema.ts';
import { SignedDocument } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { aRoot, HOUR, iso, keys, owners, role, signers } from '../support/network-truth.ts';
import { until } from '../support/until.ts';
import { closed, Wire } from './attacker.ts';
import { networkRoot, networkTruth, type APeer } from './peers.ts';
import { underAttack, type Attack } from './under-attack.ts';

/** What peers may do with root and truth. Who carries what others have signed wrong is not punished for it. */

interface Answer {
  roots: SignedDocument[];
  truth: SignedDocument | null;
}

const NOTHING: Answer = { roots: [], truth: null };

/** A peer that promises a truth, and answers with something; null: with nothing at all; `reset`: ends the stream instead. */
async function carrier(
  { victim, attacker }: Attack,
  promise: object,
  answer: Answer | 'reset' | null,
  from = '127.0.0.2',
) {
  const liar = await attacker(from);
  let asked = 0;
  await liar.host.handle(TRUTH, (stream) => {
    asked++;
    if (answer === 'reset') stream.abort(new Error('no answer'));
    else if (answer) void new Wire(stream).answer(answer);
  });
  const entered = await liar.enter(victim, promise);
  entered.control.attend();
  return { ...entered, id: liar.id, asked: () => asked };
}

const faultsOf = (victim: APeer, peer: string) =>
  victim.of('fault').filter((fault) => fault.peer === peer);

const [signer] = signers;
/** Issued after the others, and expired since. */
const expired = (version: number) =>
  networkTruth({
    version,
    issued: iso(Date.now() - HOUR / 2),
    expires: iso(Date.now() - HOUR / 4),
  });

test.concurrent('forged truths are not believed, and cost the carrier its place', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished, { connectionsPerHostPerSecond: 50 });
  const { victim } = attack;
  victim.peer.takeTruth({ roots: [], truth: networkTruth({ version: 2 }) });
  const forged = [
    networkTruth({ version: 9 }, signers.slice(0, 1)),
    networkTruth({ version: 9 }, [signer!, signer!]),
    networkTruth({ version: 9 }, owners.slice(0, 2)),
    networkTruth({ version: 9, network: 'other.example.org' }),
    { ...networkTruth({ version: 9 }), payload: Buffer.from('{}').toString('base64') },
  ];
  for (const truth of forged) {
    const { id, connection } = await carrier(attack, { truth: 9 }, { roots: [], truth });
    await closed(connection);
    expect(faultsOf(victim, id)).toMatchObject([{ points: 100 }]);
  }
  expect(victim.peer.trust.truth?.version).toBe(2);
  await attack.expectFriendship();
});

test.concurrent('who carries what is old, expired, from the future or forked is not punished', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished, { connectionsPerHostPerSecond: 50 });
  const { victim } = attack;
  victim.peer.takeTruth({ roots: [], truth: networkTruth({ version: 5 }) });
  const ban = { peer: victim.id, reason: 'another one', since: iso(0), until: null };
  const carried = [
    ['expired', expired(6)],
    ['rollback', networkTruth({ version: 4 })],
    ['future', networkTruth({ version: 6, issued: iso(Date.now() + HOUR) })],
    ['fork', networkTruth({ version: 5, bans: [ban] })],
  ] as const;
  for (const [reason, truth] of carried) {
    const version = reason === 'rollback' || reason === 'fork' ? 5 : 6;
    const { id, asked } = await carrier(attack, { truth: version }, { roots: [], truth });
    await until(`a truth is refused: ${reason}`, () =>
      victim.of('truth_refused').some((event) => event.from === id && event.reason === reason),
    );
    expect(asked()).toBeGreaterThan(0);
    expect(faultsOf(victim, id)).toEqual([]);
  }
  expect(victim.peer.status.truth?.version).toBe(5);
  expect(victim.peer.status.alarms).toMatchObject([{ kind: 'truth_fork' }]);
  await attack.expectFriendship();
});

test.concurrent('a peer on a newer root brings it; one that cannot prove it is not asked for ever', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished);
  const { victim } = attack;
  const roots = [2, 3, 4].map((version) => networkRoot({ version }));
  const honest = await carrier(attack, { root: 4, truth: 1 }, { roots, truth: networkTruth() });
  await until('the newest root is believed', () => victim.peer.status.root.version === 4);
  await until('and its truth', () => victim.peer.status.truth?.version === 1);
  expect(faultsOf(victim, honest.id)).toEqual([]);
  // Validly signed, and of no use any more: a reason neither to punish nor to ask again and again.
  const idle = await carrier(attack, { root: 4, truth: 7 }, { roots: [], truth: expired(7) });
  for (let n = 0; n < 40; n++) {
    await idle.control.send({ t: 'have', root: 4, truth: 7, height: 0 });
    await idle.control.send({ t: 'have', root: 4, truth: 6, height: 0 });
  }
  await idle.control.send({ t: 'ping', n: 'read' });
  await attack.expectFriendship();
  // Now and then everybody is asked, whatever they say.
  expect(idle.asked()).toBeLessThan(20);
  expect(faultsOf(victim, idle.id)).toEqual([]);
});

/** Promises more and more, each time it was asked, until it is cut. */
async function promiseOn({ victim }: Attack, liar: Awaited<ReturnType<typeof carrier>>) {
  const { connection, control, asked } = liar;
  for (let version = 10; connection.status === 'open' && version < 2000; version++) {
    const before = asked();
    await control.send({ t: 'have', root: version, truth: version, height: 0 }).catch(() => {});
    await until('it is asked', () => connection.status !== 'open' || asked() > before);
  }
  await closed(connection);
  return faultsOf(victim, liar.id);
}

test.concurrent('promises that are not kept cost the place', async ({ onTestFinished }) => {
  const attack = await underAttack(onTestFinished);
  const liar = await carrier(attack, { truth: 9 }, NOTHING);
  const faults = await promiseOn(attack, liar);
  expect(new Set(faults.map(({ points }) => points))).toEqual(new Set([20]));
  expect(faults.length).toBeLessThanOrEqual(6);
  await attack.expectFriendship();
});

for (const [what, answer] of [
  ['no answer', 'reset'],
  ['roots that follow none of ours', { roots: [networkRoot({ version: 5000 })], truth: null }],
] as const)
  test.concurrent(`${what} where a truth was promised: once no fault, again and again it costs the place`, async ({
    onTestFinished,
  }) => {
    const attack = await underAttack(onTestFinished);
    const given = answer === 'reset' ? answer : { ...answer, roots: [...answer.roots] };
    const liar = await carrier(attack, { root: 9, truth: 9 }, given);
    await until('it is asked', () => liar.asked() > 0);
    await attack.expectFriendship();
    expect(faultsOf(attack.victim, liar.id)).toEqual([]);
    const faults = await promiseOn(attack, liar);
    expect(new Set(faults.map(({ points }) => points))).toEqual(new Set([20]));
    expect(faults.length).toBeLessThanOrEqual(6);
  });

test.concurrent('a truth that earlier keys have signed is no fault of its carrier; to claim an older root excuses no forged one', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished, { connectionsPerHostPerSecond: 50 });
  const { victim } = attack;
  const rotated = keys(1);
  const roles = { ...aRoot().roles, truth: role(rotated, 1) };
  victim.peer.takeTruth({
    roots: [networkRoot({ version: 2, roles })],
    truth: networkTruth({ version: 2 }, rotated),
  });
  const truth = networkTruth({ version: 9 });
  const honest = await carrier(attack, { root: 1, truth: 9 }, { roots: [], truth });
  await until('it is not believed', () =>
    victim.of('truth_refused').some(({ from }) => from === honest.id),
  );
  const forged = networkTruth({ version: 9 }, keys(1));
  const forgedRoot = { ...networkRoot({ version: 3 }), signatures: networkRoot().signatures };
  for (const answer of [
    { roots: [], truth: forged },
    { roots: [forgedRoot], truth },
  ]) {
    const liar = await carrier(attack, { root: 1, truth: 9 }, answer);
    await closed(liar.connection);
    expect(faultsOf(victim, liar.id)).toMatchObject([{ points: 100 }]);
  }
  expect(faultsOf(victim, honest.id)).toEqual([]);
  expect(victim.peer.trust.truth?.version).toBe(2);
  await attack.expectFriendship();
});

test.concurrent('peers that promise and then stall do not keep the truth from those who wait', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished);
  const { victim, friend } = attack;
  for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'])
    await carrier(attack, { truth: 1000 }, null, from);
  // The victim has dialled nobody, and the friend is one more that has come to it.
  friend.peer.takeTruth({ roots: [], truth: networkTruth() });
  await until('the truth has come', () => victim.peer.status.truth?.version === 1, 25_000);
  // Their lines may be slow.
  expect(victim.of('fault')).toEqual([]);
  await attack.expectFriendship();
});

test.concurrent('neighbours that all keep the old truth: the peer says that it is stale, and one honest neighbour heals it', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished);
  const { victim, friend } = attack;
  const old = networkTruth({ expires: iso(Date.now() + 3000) });
  victim.peer.takeTruth({ roots: [], truth: old });
  expect(victim.peer.status.stale).toBe(false);
  for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.4'])
    await carrier(attack, { truth: 1 }, { roots: [], truth: old }, from);
  await until('it says so', () => victim.peer.status.stale);
  friend.peer.takeTruth({ roots: [], truth: networkTruth({ version: 2 }) });
  await until('it is well', () => !victim.peer.status.stale);
  expect(victim.of('fault')).toEqual([]);
  await attack.expectFriendship();
});

test.concurrent('the largest truth reaches a peer that lacks ten roots, and is no fault', async ({
  onTestFinished,
}) => {
  // Whose keys sign it, the last root says.
  const others = keys(2);
  const roles = { ...aRoot().roles, truth: role(others, 2) };
  const roots = Array.from({ length: 10 }, (_, i) =>
    networkRoot({ version: i + 2, ...(i === 9 && { roles }) }),
  );
  const reason = 'r'.repeat(20);
  const bans = Array.from({ length: 5000 }, (_, i) => ({
    peer: `12D3Koo${'1'.repeat(40)}${String(i + 11_111).replaceAll('0', '1')}`,
    reason,
    since: iso(0),
    until: null,
  }));
  const truth = networkTruth({ bans }, others);
  expect(SignedDocument.safeParse(truth).success).toBe(true);
  const { victim, friend, expectFriendship } = await underAttack(onTestFinished);
  friend.peer.takeTruth({ roots, truth });
  await until('it is there', () => victim.peer.status.truth?.bans === 5000);
  await until('with all roots', () => victim.peer.status.root.version === 11);
  expect(victim.of('fault')).toEqual([]);
  expect(victim.of('truth_refused')).toEqual([]);
  await expectFriendship();
});

test.concurrent('a peer whose operator trusts a later root cannot give those before, and is not punished for it', async ({
  onTestFinished,
}) => {
  const attack = await underAttack(onTestFinished);
  const { victim } = attack;
  const later = await carrier(
    attack,
    { root: 3 },
    { roots: [networkRoot({ version: 3 })], truth: null },
  );
  await until('it is asked', () => later.asked() > 0);
  await until('its answer is looked at', () =>
    victim.of('truth_refused').some(({ reason }) => reason === 'gap'),
  );
  await attack.expectFriendship();
  expect(faultsOf(victim, later.id)).toEqual([]);
});
