import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Clock } from '#app/lib/clock.ts';
import { LiveStore, type LiveChange, type StoreChange } from './live-store.ts';

interface Head {
  updatedAt: string;
}
interface Row {
  id: string;
  at: string;
  text?: string;
}

const START = '2026-07-17T12:00:00.000Z';
const at = (minute: number) => `2026-07-17T12:0${minute}:00.000Z`;
const row = (id: string, minute = 0, text = ''): Row => ({ id, at: at(minute), text });

let store: LiveStore<Head, Row>;
let heard: StoreChange<Row>[];

const change = (
  type: 'snapshot' | 'changes',
  rows: Row[],
  more: Partial<LiveChange<Head, Row>> = {},
): LiveChange<Head, Row> => ({ type, head: { updatedAt: START }, rows, removed: [], ...more });
const snapshot = (...rows: Row[]) => store.apply(change('snapshot', rows));
const changes = (rows: Row[], removed: string[] = []) =>
  store.apply(change('changes', rows, { removed }));
const ids = () => store.snapshot().rows?.map(({ id }) => id);

beforeEach(() => {
  store = new LiveStore<Head, Row>({ updatedAt: START }, (row) => row.at, new Clock());
  heard = [];
  store.subscribe((change) => heard.push(change));
});

describe('the rows', () => {
  test('are unknown until a snapshot brings all of them, whatever changes before it', () => {
    expect(ids()).toBeUndefined();
    changes([row('a')]);
    expect(ids()).toBeUndefined();
    snapshot();
    expect(ids()).toEqual([]);
  });

  test('are in the order of their moments, and those of one moment in the order of their ids', () => {
    snapshot(row('c', 1), row('b', 1), row('z', 0), row('a', 2));
    expect(ids()).toEqual(['z', 'b', 'c', 'a']);
  });

  test('that join later take their place in that order', () => {
    snapshot(row('b', 1), row('d', 3));
    changes([row('c', 2), row('a', 1), row('e', 4)]);
    expect(ids()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('replace the row with their id and leave its place as it is', () => {
    snapshot(row('a', 0), row('b', 1), row('c', 2));
    changes([row('a', 0, 'old'), row('a', 0, 'renamed')]);
    expect(ids()).toEqual(['a', 'b', 'c']);
    expect(store.snapshot().rows?.[0]).toEqual(row('a', 0, 'renamed'));
    expect([...store.rows()]).toHaveLength(3);
  });

  test('that are removed are gone, and an unknown id removes nothing', () => {
    snapshot(row('a'), row('b'), row('c'));
    changes([], ['b', 'nobody']);
    expect(ids()).toEqual(['a', 'c']);
    expect([...store.rows()].map(({ id }) => id)).toEqual(['a', 'c']);
  });

  test('that are removed and come back take the place of their new moment, once', () => {
    snapshot(row('a', 0), row('b', 1));
    changes([], ['a']);
    changes([row('a', 2)]);
    expect(ids()).toEqual(['b', 'a']);
    changes([row('b', 1)], ['b']);
    expect(ids()).toEqual(['a']);
  });

  test('of a snapshot replace all that came before it', () => {
    snapshot(row('a'), row('b'));
    changes([row('c')]);
    snapshot(row('d', 1), row('b', 2, 'new'));
    expect(store.snapshot().rows).toEqual([row('d', 1), row('b', 2, 'new')]);
  });

  test('of a store without an order stay as they came', () => {
    store = new LiveStore<Head, Row>({ updatedAt: START }, null, new Clock());
    snapshot(row('c', 1), row('a', 2));
    changes([row('b', 0), row('c', 9)]);
    expect(ids()).toEqual(['c', 'a', 'b']);
  });
});

describe('a listener', () => {
  test('hears which rows have changed, and that a snapshot or a removal may have changed any', () => {
    snapshot(row('a'));
    changes([row('b')]);
    changes([row('c')], ['a']);
    expect(heard).toEqual([
      { all: true, rows: [row('a')], pulses: [] },
      { all: false, rows: [row('b')], pulses: [] },
      { all: true, rows: [row('c')], pulses: [] },
    ]);
  });

  test('hears of pulses although no row has changed', () => {
    const pulses = [[48, 11.5, 'EU', 0, 'garage']] as const;
    store.apply(change('changes', [], { pulses: [[...pulses[0]]] }));
    expect(heard).toEqual([{ all: false, rows: [], pulses: [pulses[0]] }]);
  });

  test('hears of the connection only when its state changes', () => {
    store.setConnection({ state: 'live' });
    store.setConnection({ state: 'live' });
    store.setConnection({ state: 'stale', asOf: 1 });
    // How old the data is was said when the connection was lost.
    store.setConnection({ state: 'stale', asOf: 2 });
    expect(heard).toHaveLength(2);
    expect(store.connection).toEqual({ state: 'stale', asOf: 1 });
  });

  test('hears nothing after it has unsubscribed; others still do', () => {
    const gone: unknown[] = [];
    const unsubscribe = store.subscribe((change) => gone.push(change));
    unsubscribe();
    snapshot();
    expect(gone).toEqual([]);
    expect(heard).toHaveLength(1);
  });
});

describe('the snapshot for React', () => {
  test('is the same object until something changes', () => {
    snapshot(row('a'));
    const before = store.snapshot();
    expect(store.snapshot()).toBe(before);
    changes([row('a', 0, 'renamed')]);
    expect(store.snapshot()).not.toBe(before);
    const changed = store.snapshot();
    store.setConnection({ state: 'live' });
    expect(store.snapshot()).not.toBe(changed);
  });

  test('is never modified afterwards', () => {
    snapshot(row('b', 1));
    const { rows } = store.snapshot();
    changes([row('a')], ['b']);
    expect(rows).toEqual([row('b', 1)]);
  });

  test('has the head of the latest change', () => {
    expect(store.snapshot().head).toEqual({ updatedAt: START });
    store.apply(change('changes', [], { head: { updatedAt: at(5) } }));
    expect(store.snapshot().head).toEqual({ updatedAt: at(5) });
    expect(store.head).toEqual({ updatedAt: at(5) });
  });
});

test('every change sets the clock of the page to the server’s', () => {
  vi.useFakeTimers({ now: Date.parse(START) });
  try {
    store.apply(change('changes', [], { head: { updatedAt: at(5) } }));
    vi.advanceTimersByTime(1500);
    expect(new Date(store.clock.now()).toISOString()).toBe('2026-07-17T12:05:01.500Z');
  } finally {
    vi.useRealTimers();
  }
});
