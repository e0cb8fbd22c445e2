import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  aRoot,
  HOUR,
  iso,
  keys,
  owners,
  role,
  root,
  signers,
  START,
  truth,
} from '../../../test/support/network-truth.ts';
import { SignedDocument } from '../keys/dsse.schema.ts';
import { generateNodeKey } from '../keys/node-key.ts';
import { Trust, TrustError, type Distrust } from './trust.ts';
import type { Root, Truth } from './truth.schema.ts';

/** A trust and its clock. */
function pinned() {
  const clock = { now: START + HOUR };
  return { trust: new Trust(root(), () => clock.now), clock };
}

/** Why it was not believed; nothing must have changed. */
function distrust(trust: Trust, take: () => unknown): Distrust | null {
  const before = trust.state;
  try {
    take();
    return null;
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    expect(trust.state).toEqual(before);
    return error.reason;
  }
}

describe('a root', () => {
  test('is pinned if enough of its own keys have signed it', () => {
    expect(new Trust(root()).root.version).toBe(1);
    expect(() => new Trust(root({}, owners.slice(0, 1)))).toThrow('1 of 2 signatures');
    const [owner = generateNodeKey()] = owners;
    expect(() => new Trust(root({}, [owner, owner]))).toThrow('1 of 2 signatures');
    expect(() => new Trust(root({}, signers))).toThrow('0 of 2 signatures');
    expect(() => new Trust(truth({}, owners))).toThrow('The root: roles');
  });

  test('follows one version at a time, signed by the old keys and the new', () => {
    const { trust } = pinned();
    const others = keys(2);
    const roles = { ...aRoot().roles, root: role(others, 2) };
    const both = [...owners.slice(1), ...others];
    expect(distrust(trust, () => trust.takeRoot(root({ version: 3, roles }, both)))).toBe('gap');
    for (const by of [owners, others, [...owners.slice(2), ...others], both.slice(0, 3)])
      expect(distrust(trust, () => trust.takeRoot(root({ version: 2, roles }, by)))).toBe(
        'signature',
      );
    expect(trust.takeRoot(root({ version: 2, roles }, both))).toBe(true);
    expect(trust.takeRoot(root({ version: 2, roles }, both))).toBe(false);
    expect(trust.takeRoot(root())).toBe(false);
    // From now on only the new keys count.
    const next = { version: 3, roles: aRoot().roles };
    expect(distrust(trust, () => trust.takeRoot(root(next, owners)))).toBe('signature');
    expect(trust.takeRoot(root(next, [...others, ...owners]))).toBe(true);
    expect(trust.rootsAfter(1)).toEqual(trust.state.roots.slice(1));
    expect(trust.rootsAfter(3)).toEqual([]);
  });

  test('of another network, from the future, or with a role that cannot sign is not believed', () => {
    const { trust } = pinned();
    const take = (fields: Partial<Root>) =>
      distrust(trust, () => trust.takeRoot(root({ version: 2, ...fields })));
    expect(take({ network: 'other.example.org' })).toBe('network');
    expect(take({ issued: iso(START + 2 * HOUR) })).toBe('future');
    const { roles } = aRoot();
    const [key = ''] = roles.root.keys;
    for (const bad of [
      { keys: [key, key], threshold: 1 },
      { keys: [key], threshold: 2 },
      { keys: [key], threshold: 0 },
      { keys: [], threshold: 1 },
    ])
      expect(take({ roles: { ...roles, truth: bad } })).toBe('malformed');
    expect(take({ expires: iso(START) })).toBe('malformed');
  });
});

describe('a truth', () => {
  test('counts once enough keys of its role have signed, and never goes back', () => {
    const { trust } = pinned();
    const take = (fields: Partial<Truth>, by?: typeof signers) =>
      distrust(trust, () => trust.takeTruth(truth(fields, by)));
    expect(trust.stale).toBe(true);
    expect(take({ version: 5 }, signers.slice(0, 1))).toBe('signature');
    expect(take({ version: 5 }, owners)).toBe('signature');
    expect(take({ version: 5, log: { height: 7, id: 'a'.repeat(64) } })).toBeNull();
    expect(trust.stale).toBe(false);
    expect(take({ version: 4 })).toBe('rollback');
    expect(take({ version: 6, log: { height: 6, id: 'a'.repeat(64) } })).toBe('rollback');
    const log = { height: 8, id: 'b'.repeat(64) };
    expect(take({ version: 6, issued: iso(START - 1000), log })).toBe('rollback');
    expect(take({ version: 5, log })).toBe('fork');
    expect(take({ version: 6, log, network: 'other.example.org' })).toBe('network');
    expect(take({ version: 6, log, issued: iso(START + 2 * HOUR) })).toBe('future');
    expect(take({ version: 6, log })).toBeNull();
    expect(trust.truth?.version).toBe(6);
  });

  test('with other signatures of the same bytes is the same truth', () => {
    const { trust } = pinned();
    expect(trust.takeTruth(truth({}, signers.slice(0, 2)))).toBe(true);
    expect(trust.takeTruth(truth({}, signers.slice(1)))).toBe(false);
  });

  test('that has expired is refused when it is new, and kept as the floor when it is known', () => {
    const { trust, clock } = pinned();
    trust.takeTruth(truth({ version: 3 }));
    clock.now = START + 101 * HOUR;
    expect(trust.stale).toBe(true);
    expect(distrust(trust, () => trust.takeTruth(truth({ version: 4 })))).toBe('expired');
    const restored = Trust.restore(trust.state, () => clock.now);
    expect(restored.truth?.version).toBe(3);
    const expires = iso(START + 200 * HOUR);
    expect(distrust(restored, () => restored.takeTruth(truth({ version: 2, expires })))).toBe(
      'rollback',
    );
    expect(restored.takeTruth(truth({ version: 4, expires }))).toBe(true);
  });

  test('is forgotten with its version once a root no longer names its keys', () => {
    const { trust } = pinned();
    trust.takeTruth(truth({ version: 1_000_000 }));
    trust.takeRoot(root({ version: 2 }));
    expect(trust.truth?.version).toBe(1_000_000);
    const others = keys(1);
    trust.takeRoot(root({ version: 3, roles: { ...aRoot().roles, truth: role(others, 1) } }));
    expect(trust.truth).toBeNull();
    expect(trust.takeTruth(truth({ version: 2 }, others))).toBe(true);
  });

  test('bans on after a root has disowned its keys, until a new truth says otherwise', () => {
    const { trust, clock } = pinned();
    const peer = `12D3Koo${'A'.repeat(45)}`;
    const ban = { peer, reason: 'floods', since: iso(START), until: null };
    trust.takeTruth(truth({ version: 5, bans: [ban] }));
    const others = keys(1);
    trust.takeRoot(root({ version: 2, roles: { ...aRoot().roles, truth: role(others, 1) } }));
    expect([trust.truth, trust.banOf(peer)?.reason]).toEqual([null, 'floods']);
    // Roots that come later, and restarts.
    trust.takeRoot(root({ version: 3, roles: { ...aRoot().roles, truth: role(keys(2), 1) } }));
    trust.takeRoot(root({ version: 4, roles: { ...aRoot().roles, truth: role(others, 1) } }));
    const restored = Trust.restore(JSON.parse(JSON.stringify(trust.state)), () => clock.now);
    expect([restored.truth, restored.banOf(peer)?.reason]).toEqual([null, 'floods']);
    expect(restored.state).toEqual(trust.state);
    // Nobody who can write the file, and has no keys, adds bans by it.
    const forged = { ...trust.state, former: truth({ bans: [ban] }, keys(2)) };
    expect(() => Trust.restore(forged)).toThrow('The truth before is not signed');
    for (const one of [trust, restored]) {
      expect(one.takeTruth(truth({ version: 1 }, others))).toBe(true);
      expect([one.banOf(peer), one.state.former]).toEqual([undefined, undefined]);
    }
  });

  test('bans peers until the ban ends', () => {
    const { trust, clock } = pinned();
    const [always, once] = ['A', 'B'].map((letter) => `12D3Koo${letter.repeat(45)}`);
    const ban = { reason: 'floods', since: iso(START) };
    trust.takeTruth(
      truth({
        bans: [
          { ...ban, peer: always ?? '', until: null },
          { ...ban, peer: once ?? '', until: iso(START + 2 * HOUR) },
        ],
      }),
    );
    expect([always, once].map((peer) => trust.banOf(peer ?? '')?.reason)).toEqual([
      'floods',
      'floods',
    ]);
    clock.now = START + 2 * HOUR;
    expect([always, once].map((peer) => trust.banOf(peer ?? '')?.reason)).toEqual([
      'floods',
      undefined,
    ]);
  });
});

test('a changed document is never believed, and never breaks anything', () => {
  const { trust } = pinned();
  trust.takeTruth(truth({ version: 2 }));
  const believed = trust.state;
  const good = truth({ version: 3 });
  const [first, second] = good.signatures;
  const bytes = Buffer.from(good.payload, 'base64');
  const changed = fc.oneof(
    // A bit of the payload.
    fc.nat(bytes.length * 8 - 1).map((bit) => {
      const copy = Buffer.from(bytes);
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return { ...good, payload: copy.toString('base64') };
    }),
    fc.base64String({ maxLength: 400 }).map((payload) => ({ ...good, payload })),
    // Signatures.
    fc.base64String({ maxLength: 88 }).map((sig) => ({
      ...good,
      signatures: [{ ...first, keyid: first?.keyid ?? '', sig }, ...(second ? [second] : [])],
    })),
    fc.string().map((payloadType) => ({ ...good, payloadType })),
    fc.constant({ ...good, signatures: first ? [first, first] : [] }),
  );
  fc.assert(
    fc.property(changed, (document) => {
      expect(distrust(trust, () => trust.takeTruth(document))).not.toBeNull();
      expect(distrust(trust, () => trust.takeRoot(document))).not.toBeNull();
      expect(trust.state).toEqual(believed);
    }),
    { numRuns: 300 },
  );
  expect(SignedDocument.safeParse(good).success).toBe(true);
});
