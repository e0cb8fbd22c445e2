import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  loadSteps,
  placesOf,
  stepAt,
  stepCount,
  stepTime,
  StepStore,
  untilNextStep,
} from './steps.ts';

const MINUTE = 60_000;
const NOON = '2026-07-17T12:00:00.000Z';
const at = (quarter: number) => new Date(Date.parse(NOON) + quarter * 15 * MINUTE).toISOString();

describe('the step that is shown', () => {
  const steps = [0, 1, 2].map((quarter) => ({ at: at(quarter) }));

  test('is the one at the chosen moment, playing or not', () => {
    for (const playing of [true, false])
      for (const index of [0, 1, 2])
        expect(stepAt(steps, Date.parse(at(index)), playing)).toBe(index);
  });

  test('is the first while it plays from the beginning, and the last where nothing plays', () => {
    expect(stepAt(steps, null, true)).toBe(0);
    expect(stepAt(steps, null, false)).toBe(2);
  });

  test('is the last if the chosen moment is none of the steps any more', () => {
    for (const playing of [true, false]) {
      expect(stepAt(steps, Date.parse(at(-1)), playing)).toBe(2);
      expect(stepAt(steps, Date.parse(at(1)) + 1, playing)).toBe(2);
    }
  });

  test('is none while there are none', () => {
    expect(stepAt([], null, true)).toBe(0);
    expect(stepAt([], Date.parse(NOON), false)).toBe(0);
  });
});

test('the list is read again when its next step has been recorded, but not at once again and again', () => {
  const to = Date.parse(NOON);
  expect(untilNextStep(NOON, to)).toBe(15 * MINUTE + 30_000);
  expect(untilNextStep(NOON, to + 10 * MINUTE)).toBe(5 * MINUTE + 30_000);
  expect(untilNextStep(NOON, to + 60 * MINUTE)).toBe(30_000);
});

describe('steps', () => {
  const places = (nodes: number[]) => ({
    lat: nodes.map((_, n) => n),
    lng: nodes.map((_, n) => 10 + n),
    region: nodes.map(() => 'EU'),
    nodes,
  });
  /** What was asked for, and the status of the next answers. */
  let asked: string[];
  let status: number;
  let store: StepStore;
  beforeEach(() => {
    [asked, status, store] = [[], 200, new StepStore()];
    vi.stubGlobal('fetch', (url: string) => {
      asked.push(url);
      return Promise.resolve(Response.json({ places: places([3]), steps: [] }, { status }));
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  test('are asked for by their span and start, each once', async () => {
    await Promise.all([store.load('24h', at(0)), store.load('24h', at(0))]);
    await expect(store.load('24h', at(0))).resolves.toEqual(places([3]));
    await store.load('90d', at(0));
    await loadSteps('90d');
    expect(asked).toEqual([
      `/api/mesh/history/places?days=1&at=${at(0)}`,
      `/api/mesh/history/places?days=90&at=${at(0)}`,
      '/api/mesh/history/places?days=90',
    ]);
  });

  test('that failed are asked for again', async () => {
    status = 503;
    await expect(store.load('24h', at(0))).rejects.toThrow('503');
    await expect(loadSteps('24h')).rejects.toThrow('503');
    status = 200;
    await expect(store.load('24h', at(0))).resolves.toEqual(places([3]));
  });

  test('that were shown longest ago leave the memory first: it has sixteen', async () => {
    for (let n = 0; n < 16; n++) await store.load('24h', at(n));
    await store.load('24h', at(0));
    await store.load('24h', at(16));
    asked = [];
    await store.load('24h', at(0));
    await store.load('24h', at(2));
    expect(asked).toEqual([]);
    await store.load('24h', at(1));
    expect(asked).toHaveLength(1);
  });

  test('are forgotten when the list is read again: the day so far goes on', async () => {
    await store.load('90d', at(0));
    store.clear();
    await store.load('90d', at(0));
    expect(asked).toHaveLength(2);
  });

  test('are drawn as places with their nodes, whose statuses and classes nobody knows', () => {
    expect(placesOf(places([3, 1]))).toEqual([
      { id: '0,10,EU', lat: 0, lng: 10, region: 'EU', counts: [3] },
      { id: '1,11,EU', lat: 1, lng: 11, region: 'EU', counts: [1] },
    ]);
  });
});

describe('the text of a step', () => {
  const step = (nodes: number | null, places: number | null) => ({ at: NOON, nodes, places });

  test('says when it was, a day in UTC and a quarter of an hour in the visitor’s zone', () => {
    expect(stepTime('90d', step(1, 1))).toBe('17 Jul 2026');
    expect(stepTime('24h', step(1, 1))).toMatch(/^\w{3},? \d+ Jul, \d\d:00–\d\d:15 \S+$/);
  });

  test('says how many nodes were where, none, or that nobody measured', () => {
    expect(stepCount(step(9812, 3201))).toBe('9,812 nodes at 3,201 places');
    expect(stepCount(step(1, 1))).toBe('1 node at 1 place');
    expect(stepCount(step(0, 0))).toBe('No nodes');
    expect(stepCount(step(null, null))).toBe('Not measured');
  });
});
