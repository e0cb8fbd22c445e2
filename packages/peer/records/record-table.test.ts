import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aRecord, START } from '../../../test/support/peer-records.ts';
import { rounds } from '../../../test/support/rounds.ts';
import {
  isTried,
  PEERS_MAX,
  PER_GROUP_MAX,
  PER_SOURCE_MAX,
  RecordTable,
  type Entry,
} from './record-table.ts';

/** The table does not look at signatures. */
const entry = (peer: string, fields: Partial<Entry>): Entry => ({
  envelope: { payloadType: '', payload: '', signatures: [] },
  record: aRecord({ peer }, '/ip4/192.0.2.1/tcp/9900'),
  expiresAt: START + 3_600_000,
  groups: [],
  source: 'someone',
  reachedAt: null,
  reachedGroup: null,
  network: null,
  dialledGroup: null,
  failures: 0,
  nextDialAt: 0,
  ...fields,
});

const crowds = (entries: readonly Entry[], keysOf: (entry: Entry) => readonly string[]) => {
  const counts = new Map<string, number>();
  for (const each of entries)
    for (const key of keysOf(each)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

test('no sequence of records makes it grow over its bounds, or displaces a peer that was reached', () => {
  const put = fc.record({
    /** Many records at once: the bounds are far away. */
    times: fc.integer({ min: 1, max: 300 }),
    source: fc.nat(30).map((index) => `source ${index}`),
    groups: fc.uniqueArray(
      fc.nat(60).map((index) => `group ${index}`),
      { minLength: 1, maxLength: 8 },
    ),
    /** Whether each of them also has a group of its own. */
    spread: fc.boolean(),
    reached: fc.integer({ min: 0, max: 9 }).map((digit) => digit === 0),
    failures: fc.nat(2),
  });
  fc.assert(
    fc.property(fc.array(put, { minLength: 20, maxLength: 40 }), (puts) => {
      const table = new RecordTable();
      const tried = new Set<string>();
      let number = 0;
      for (const { times, source, groups, spread, reached, failures } of puts)
        for (let time = 0; time < times; time++) {
          const peer = `peer ${number++}`;
          const own = spread ? [`own ${number}`] : groups;
          const isNew = table.put(entry(peer, { source, groups: own, failures }), START);
          if (isNew && reached && tried.size < 1000) {
            table.reached(table.get(peer)!, START, START);
            tried.add(peer);
          }
        }
      const untried = table.values().filter((each) => !isTried(each, START));
      expect(table.size).toBeLessThanOrEqual(PEERS_MAX);
      const most = (keysOf: (entry: Entry) => readonly string[]) =>
        Math.max(0, ...crowds(untried, keysOf).values());
      expect(most(({ source }) => [source])).toBeLessThanOrEqual(PER_SOURCE_MAX);
      expect(most(({ groups }) => groups)).toBeLessThanOrEqual(PER_GROUP_MAX);
      expect([...tried].filter((peer) => !table.get(peer))).toEqual([]);
    }),
    { numRuns: rounds(3) },
  );
});

test('a source that brings little keeps it, however much others bring', () => {
  const table = new RecordTable();
  for (let index = 0; index < 40; index++)
    table.put(entry(`honest ${index}`, { source: 'friend', groups: [`net ${index}`] }), START);
  for (let index = 0; index < 40 * 75; index++)
    table.put(
      entry(`sybil ${index}`, { source: `source ${index % 40}`, groups: [`own ${index}`] }),
      START,
    );
  expect(table.size).toBe(PEERS_MAX);
  const kept = table.values().filter(({ source }) => source === 'friend');
  expect(kept).toHaveLength(40);
});

test('claims to be in a network do not keep its own peers out', () => {
  const table = new RecordTable();
  for (let index = 0; index < 200; index++)
    table.put(entry(`sybil ${index}`, { source: 'attacker', groups: ['victim'] }), START);
  expect(table.size).toBe(PER_GROUP_MAX);
  expect(table.put(entry('victim', { source: 'friend', groups: ['victim'] }), START)).toBe(true);
  expect(table.size).toBe(PER_GROUP_MAX);
  expect(table.put(entry('another', { source: 'attacker', groups: ['victim'] }), START)).toBe(
    false,
  );
});

test('a full source replaces its peers that fail, and only those', () => {
  const table = new RecordTable();
  const put = (index: number, failures = 0) =>
    table.put(entry(`peer ${index}`, { groups: [`net ${index}`], failures }), START);
  for (let index = 0; index < PER_SOURCE_MAX; index++) put(index, index === 7 ? 1 : 0);
  expect(put(1000)).toBe(true);
  expect(table.get('peer 7')).toBeUndefined();
  expect(put(1001)).toBe(false);
});

test('expired records go, unless their peer was reached', () => {
  const table = new RecordTable();
  table.put(entry('stranger', {}), START);
  table.put(entry('friend', { reachedAt: START }), START);
  const later = START + 3_600_000;
  table.put(entry('next', { expiresAt: later + 1 }), later);
  expect(table.values().map(({ record }) => record.peer)).toEqual(['friend', 'next']);
});

test('a record costs no look at the others, and in a full table at those of one source', () => {
  const table = new RecordTable();
  let looks = 0;
  const watched = (index: number) =>
    new Proxy(
      entry(`peer ${index}`, { source: `source ${index % 20}`, groups: [`net ${index}`] }),
      {
        get(target, field) {
          looks++;
          return Reflect.get(target, field) as unknown;
        },
      },
    );
  /** How often the others are looked at for a record more. */
  const looksFor = (index: number) => {
    const newcomer = entry(`peer ${index}`, { source: 'another', groups: [`net ${index}`] });
    looks = 0;
    expect(table.put(newcomer, START)).toBe(true);
    return looks;
  };
  for (let index = 0; index < PEERS_MAX - 1; index++) table.put(watched(index), START);
  expect(looksFor(PEERS_MAX)).toBe(0);
  // Each of the 20 sources has a hundred.
  expect(looksFor(PEERS_MAX + 1)).toBeLessThan(PEERS_MAX / 2);
  expect(table.size).toBe(PEERS_MAX);
});
