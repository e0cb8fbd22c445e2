import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DsseEnvelope } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import {
  aSubject,
  NETWORK,
  signed,
  START,
  type Subject,
} from '../../../test/support/peer-records.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { AddressBook, type AddressBookOptions, type Occupied } from './address-book.ts';
import { RecordError } from '../records/peer-record.ts';
import { PER_GROUP_MAX } from '../records/record-table.ts';

const HOUR = 3_600_000;
const self = aSubject();

function book(options: Partial<AddressBookOptions> = {}) {
  const clock = { now: START };
  const refused = new Set<string>();
  const made = new AddressBook({
    network: NETWORK,
    self: self.peer,
    isRefused: (peer) => refused.has(peer),
    now: () => clock.now,
    ...options,
  });
  return { clock, refused, book: made };
}

const nobody: Occupied = { connected: new Set(), dialing: new Set(), groups: new Set() };

/** Subjects at an address of their own network each. */
const at = (index: number) => `/ip4/${20 + (index % 100)}.${Math.floor(index / 100)}.0.1/tcp/9900`;
let friends: Subject[];
let records: DsseEnvelope[];
beforeAll(() => {
  friends = Array.from({ length: 40 }, aSubject);
  records = friends.map((friend, index) => signed(friend, at(index)));
});
const [one, two] = [aSubject(), aSubject()];

describe('a record', () => {
  test('is taken once; the newer one wins, in whichever order they come', () => {
    const [first, second] = [1, 2].map((seq) => signed(one, at(seq), { seq }));
    if (!first || !second) throw new Error('two records');
    const { book: known } = book();
    expect([first, first, second, first].map((each) => known.take(each, 'source'))).toEqual([
      'new',
      'ignored',
      'newer',
      'ignored',
    ]);
    expect(known.sample(64, '')).toEqual([second]);
    const { book: reversed } = book();
    expect([second, first].map((each) => reversed.take(each, 'source'))).toEqual([
      'new',
      'ignored',
    ]);
    expect(known.size).toBe(1);
  });

  test('of a known number costs no check of its signature', () => {
    const { book: known } = book();
    const record = signed(one, at(1), { seq: 7 });
    known.take(record, 'source');
    const forged = (seq: number) => ({
      ...signed(one, at(2), { seq }),
      signatures: signed(two, at(2)).signatures,
    });
    expect(known.take(forged(7), 'source')).toBe('ignored');
    expect(known.take(forged(6), 'source')).toBe('ignored');
    expect(() => known.take(forged(8), 'source')).toThrow(RecordError);
    expect(known.sample(64, '')).toEqual([record]);
  });

  test('for which there is no room costs no check of its signature', () => {
    const { book: known } = book();
    const inOneGroup = (index: number) => signed(aSubject(), `/ip4/8.8.8.${index}/tcp/9900`);
    for (let index = 0; index < PER_GROUP_MAX; index++)
      expect(known.take(inOneGroup(index), 'source')).toBe('new');
    const forged = { ...inOneGroup(100), signatures: signed(two, at(2)).signatures };
    expect(known.take(forged, 'source')).toBe('ignored');
  });

  test('that is forged, or of another network, is the fault of its source', () => {
    const { book: known } = book();
    const record = signed(one, at(1));
    expect(() => known.take({ ...record, payload: 'e30=' }, 'source')).toThrow(RecordError);
    const elsewhere = signed(one, at(1), { network: 'other.example.org' });
    expect(() => known.take(elsewhere, 'source')).toThrow(/of the network other.example.org/);
    expect(known.size).toBe(0);
  });

  test('that has expired, lasts too long, is our own, or of a refused peer is nobody’s fault', () => {
    const { book: known, clock, refused } = book();
    refused.add(two.peer);
    const expires = (ms: number) => ({ expires: new Date(START + ms).toISOString() });
    expect(known.take(signed(one, at(1), expires(0)), 'source')).toBe('ignored');
    expect(known.take(signed(one, at(1), expires(7 * HOUR)), 'source')).toBe('ignored');
    expect(known.take(signed(self, at(1)), 'source')).toBe('ignored');
    expect(known.take(signed(two, at(1)), 'source')).toBe('ignored');
    // The clocks of its subject and of its carrier may be five minutes ahead each.
    expect(known.take(signed(one, at(1), expires(6 * HOUR + 600_000)), 'source')).toBe('new');
    clock.now += 7 * HOUR;
    expect(known.sample(64, '')).toEqual([]);
  });

  test('with addresses of private networks counts only if that is wanted', () => {
    const home = signed(one, ['/ip4/192.168.1.7/tcp/9900', '/ip4/127.0.0.1/tcp/9900']);
    expect(book({ privateAddresses: true }).book.take(home, 'source')).toBe('new');
    const { book: known } = book();
    expect(known.take(home, 'source')).toBe('ignored');
    known.take(signed(two, ['/ip4/192.168.1.7/tcp/9900', at(1)]), 'source');
    expect(known.candidates(8, nobody)).toEqual([
      { peer: two.peer, group: '21.0.0.0/16', addrs: [`${at(1)}/p2p/${two.peer}`] },
    ]);
  });
});

describe('what others are told', () => {
  test('are as many records as they want, none of them their own, of a refused or of an unreachable peer', () => {
    const { book: known, refused } = book();
    for (const record of records) known.take(record, 'source');
    const [asker, banned, away] = friends.map(({ peer }) => peer);
    refused.add(banned ?? '');
    for (let time = 0; time < 3; time++) known.failed(away ?? '');
    expect(known.sample(5, asker ?? '')).toHaveLength(5);
    const told = known.sample(64, asker ?? '');
    expect(new Set(told)).toEqual(new Set(records.slice(3)));
  });
});

describe('whom to dial', () => {
  test('is one of each network group, at its addresses there, and none that is connected, on the way or refused', () => {
    const { book: known, refused } = book();
    const pairs = friends.map((friend, index) =>
      signed(friend, [at(Math.floor(index / 2)), `/dns4/n${index}.example/tcp/9900`]),
    );
    for (const record of pairs) known.take(record, 'source');
    const [connected, dialing, banned] = friends.map(({ peer }) => peer);
    refused.add(banned ?? '');
    const dials = known.candidates(100, {
      connected: new Set([connected ?? '']),
      dialing: new Set([dialing ?? '']),
      groups: new Set(['21.0.0.0/16']),
    });
    const groups = dials.map(({ group }) => group);
    expect(new Set(groups).size).toBe(groups.length);
    expect(groups).not.toContain('21.0.0.0/16');
    const peers = dials.map(({ peer }) => peer);
    expect(new Set(peers).size).toBe(peers.length);
    for (const peer of [connected, dialing, banned]) expect(peers).not.toContain(peer);
    for (const { addrs, peer, group } of dials) {
      const index = friends.findIndex((friend) => friend.peer === peer);
      const expected = group.endsWith('/16')
        ? at(Math.floor(index / 2))
        : `/dns4/n${index}.example/tcp/9900`;
      expect(addrs).toEqual([`${expected}/p2p/${peer}`]);
    }
  });

  test('is half peers that were reached before, half new ones', () => {
    const { book: known } = book();
    for (const record of records) known.take(record, 'source');
    const reached = new Set(friends.slice(0, 20).map(({ peer }) => peer));
    for (const peer of reached) known.succeeded(peer);
    const anchors = new Set(known.state.anchors);
    const connected = anchors;
    for (let time = 0; time < 20; time++) {
      const dials = known.candidates(8, { ...nobody, connected });
      expect(dials.filter(({ peer }) => reached.has(peer))).toHaveLength(4);
      expect(dials).toHaveLength(8);
    }
  });

  test('waits after a failed dial, longer each time, and an hour at most; a new record does not change that', () => {
    const random = { value: 1 - 1e-9 };
    const { book: known, clock } = book({ random: () => random.value });
    known.take(signed(one, at(1)), 'source');
    const waits: number[] = [];
    for (let seq = 2; seq < 20; seq++) {
      known.failed(one.peer);
      known.take(
        signed(one, at(1), { seq, expires: new Date(clock.now + HOUR).toISOString() }),
        'source',
      );
      const before = clock.now;
      while (known.candidates(1, nobody).length === 0) clock.now += 500;
      waits.push((clock.now - before) / 1000);
    }
    expect(waits.slice(0, 5)).toEqual([2, 4, 8, 16, 32]);
    expect(Math.max(...waits)).toBe(3600);
    random.value = 0;
    known.failed(one.peer);
    clock.now += 1800_000;
    expect(known.candidates(1, nobody)).toHaveLength(1);
  });

  test('waits half a minute at most while nobody is connected, and after that no longer than before', () => {
    const random = { value: 1 - 1e-9 };
    const { book: known, clock } = book({ random: () => random.value });
    known.take(signed(one, ['/ip4/203.0.113.1/tcp/1', '/ip6/2001:db8::1/tcp/1']), 'source');
    const groups = () => {
      const drawn = [0, 1 - 1e-9].map((value) => {
        random.value = value;
        return known.candidates(1, nobody)[0]?.group;
      });
      return new Set(drawn).size;
    };
    known.candidates(1, nobody);
    known.succeeded(one.peer);
    expect(groups()).toBe(1);
    const since = clock.now;
    const waits: number[] = [];
    while (clock.now < since + HOUR) {
      known.failed(one.peer, clock.now - since);
      const before = clock.now;
      while (known.candidates(1, nobody).length === 0) clock.now += 500;
      waits.push((clock.now - before) / 1000);
    }
    expect(waits.slice(0, 6)).toEqual([2, 2, 4, 8, 16, 30]);
    expect(Math.max(...waits)).toBe(30);
    // Not only where it was reached before.
    expect(groups()).toBe(2);
    // Once somebody is connected others are told of it, and a failed dial is one as any other.
    expect(known.sample(1, '')).toHaveLength(1);
    known.failed(one.peer);
    clock.now += 4000;
    expect(known.candidates(1, nobody)).toHaveLength(1);
  });

  test('a removed peer is forgotten', () => {
    const { book: known } = book();
    known.take(signed(one, at(1)), 'source');
    known.succeeded(one.peer);
    known.remove(one.peer);
    expect(known.has(one.peer)).toBe(false);
    expect(known.state).toEqual({ anchors: [], peers: [] });
  });
});

describe('a restart', () => {
  test('keeps the peers that were reached, and dials the anchors first', () => {
    const { book: before } = book();
    for (const record of records) before.take(record, 'source');
    const reached = friends.slice(0, 20).map(({ peer }) => peer);
    for (const peer of reached) before.succeeded(peer);
    const state: unknown = JSON.parse(JSON.stringify(before.state));
    const { book: after } = book({ state });
    expect(after.size).toBe(20);
    expect(after.state).toEqual(before.state);
    expect(after.state.anchors).toEqual(reached.slice(0, 4));
    const first = after.candidates(4, nobody).map(({ peer }) => peer);
    expect(first).toEqual(reached.slice(0, 4));
  });

  test('after days still dials those peers, although their records have expired, and tells nobody of them', () => {
    const { book: before } = book();
    before.take(signed(one, at(1)), 'source');
    before.take(signed(two, at(2)), 'source');
    before.succeeded(one.peer);
    const { state } = before;
    const now = START + 72 * HOUR;
    const { book: after } = book({ state, now: () => now });
    expect(after.candidates(8, nobody).map(({ peer }) => peer)).toEqual([one.peer]);
    expect(after.sample(64, '')).toEqual([]);
    const { book: forgotten } = book({ state, now: () => START + 31 * 24 * HOUR });
    expect(forgotten.size).toBe(0);
  });

  test('after a session of months still knows the peer', () => {
    const { book: known, clock } = book();
    known.take(signed(one, at(1)), 'source');
    known.take(signed(two, at(2)), 'source');
    known.succeeded(one.peer);
    clock.now += 90 * 24 * HOUR;
    known.lasting([one.peer, two.peer]);
    expect(known.state.anchors).toEqual([one.peer]);
    expect(known.state.peers).toHaveLength(1);
  });

  test('has one anchor in each network, whatever the names that lead there', () => {
    const { book: known } = book();
    known.take(signed(one, '/dns4/a.one.example/tcp/1'), 'source');
    known.take(signed(two, '/dns4/b.two.example/tcp/1'), 'source');
    known.succeeded(one.peer, '203.0.0.0/16');
    const { book: after } = book({ state: JSON.parse(JSON.stringify(known.state)) as unknown });
    after.take(signed(two, '/dns4/b.two.example/tcp/1'), 'source');
    for (const each of [known, after]) {
      each.succeeded(two.peer, '203.0.0.0/16');
      expect(each.state.anchors).toEqual([one.peer]);
      each.succeeded(two.peer, '198.51.0.0/16');
      expect(each.state.anchors).toEqual([one.peer, two.peer]);
    }
  });

  test('with a damaged file begins anew, and takes nothing from it that its subject has not signed', () => {
    for (const state of [undefined, null, 'text', [], { anchors: ['x'], peers: [] }])
      expect(book({ state }).book.state).toEqual({ anchors: [], peers: [] });
    const { book: before } = book();
    before.take(signed(one, at(1)), 'source');
    before.succeeded(one.peer);
    const [peer] = before.state.peers;
    const record = { ...signed(one, at(9)), signatures: signed(two, at(1)).signatures };
    const state = { ...before.state, peers: [{ ...peer, record }] };
    expect(book({ state }).book.size).toBe(0);
  });
});

describe('an attacker', () => {
  const HONEST = 12;
  let sybils: { peer: string; record: DsseEnvelope }[];
  beforeAll(() => {
    sybils = Array.from({ length: 1000 }, (_, index) => {
      const subject = aSubject();
      const real = `/ip4/150.${index % 5}.${index % 200}.1/tcp/9900`;
      // Most of them also claim to be in networks where they are not.
      const claimed = [`/ip4/${60 + (index % 90)}.7.0.1/tcp/9900`, `/dns4/a${index}.example/tcp/1`];
      return { peer: subject.peer, record: signed(subject, index % 3 ? [...claimed, real] : real) };
    });
  });

  test('with 1,000 records in 5 networks never gets more than 5 of 8 outbound places', () => {
    const attacker = new Set(sybils.map(({ peer }) => peer));
    fc.assert(
      fc.property(
        fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
        fc.integer({ min: 1, max: 50 }),
        (stream, sources) => {
          const { book: known, clock } = book({ random: () => stream.next().value });
          for (const record of records.slice(0, HONEST)) known.take(record, 'friend');
          for (const [index, { record }] of sybils.entries())
            known.take(record, `source ${index % sources}`);
          const outbound = new Map<string, string>();
          for (let second = 0; second < 60 && outbound.size < 8; second++) {
            clock.now += 1000;
            const connected = new Set(outbound.keys());
            const groups = new Set(outbound.values());
            for (const { peer, group, addrs } of known.candidates(8 - outbound.size, {
              connected,
              dialing: new Set(),
              groups,
            })) {
              // Somebody answers at addresses where the attacker really is, and at those of honest peers.
              const answers = attacker.has(peer)
                ? addrs.some((addr) => addr.startsWith('/ip4/150.'))
                : true;
              if (!answers) known.failed(peer);
              else {
                known.succeeded(peer);
                outbound.set(peer, group);
              }
            }
          }
          const theirs = [...outbound.keys()].filter((peer) => attacker.has(peer));
          expect(theirs.length).toBeLessThanOrEqual(5);
          expect(outbound.size).toBe(8);
          expect(known.size).toBeLessThanOrEqual(2000);
        },
      ),
      { numRuns: rounds(3) },
    );
  });

  test('displaces neither peers that were reached nor the anchors', () => {
    const { book: known } = book();
    for (const record of records) known.take(record, 'friend');
    for (const { peer } of friends) known.succeeded(peer);
    const { anchors } = known.state;
    for (const [index, { record, peer }] of sybils.entries()) {
      known.take(record, `source ${index}`);
      known.succeeded(peer);
    }
    expect(known.state.anchors).toEqual(anchors);
    for (const { peer } of friends) expect(known.has(peer)).toBe(true);
    expect(known.state.peers.length).toBeLessThanOrEqual(1000);
  });

  test('that was reached in one network is a stranger in the next one', () => {
    const { book: known } = book();
    known.take(signed(one, at(1)), 'source');
    known.succeeded(one.peer);
    known.take(signed(one, at(2), { seq: 2 }), 'source');
    expect(known.state.peers).toEqual([]);
  });
});
