import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SERVICE_BACK, ServiceAway } from './service-away.ts';

const NOON = Date.parse('2026-11-25T12:00:00Z');

let ready: boolean;
let asked: number;
let back: number;
let away: ServiceAway;

beforeEach(() => {
  vi.useFakeTimers({ now: NOON });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
  vi.stubGlobal('navigator', { onLine: true });
  [ready, asked, back] = [false, 0, 0];
  window.addEventListener(SERVICE_BACK, () => back++);
  away = new ServiceAway(() => {
    asked++;
    return Promise.resolve(ready);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a connection that is back within a second says nothing', async () => {
  const told = vi.fn();
  away.subscribe(told);
  away.lost(NOON);
  await pass(900);
  away.found();
  await pass(60_000);
  expect([told.mock.calls.length, asked, away.snapshot()]).toEqual([0, 0, null]);
});

test('while nothing answers it asks after 1, 2, 4, 8 and then every 15 s, and says when', async () => {
  away.lost(NOON - 1000);
  const waits = [];
  for (const ms of [1000, 2000, 4000, 8000, 15_000, 15_000]) {
    await pass(ms - 1);
    const before = asked;
    await pass(1);
    expect(asked).toBe(before + 1);
    waits.push(((away.snapshot()?.nextAt ?? 0) - Date.now()) / 1000);
  }
  expect(waits).toEqual([2, 4, 8, 15, 15, 15]);
  expect(away.snapshot()).toMatchObject({ offline: false, asOf: NOON - 1000 });
});

test('once the service answers, everybody is told at once, and nothing is said any more', async () => {
  away.lost(NOON);
  await pass(1000);
  ready = true;
  await pass(2000);
  expect([back, away.snapshot()]).toEqual([1, null]);
  await pass(60_000);
  expect(asked).toBe(2);
});

test('a form without an answer is reported at once', () => {
  away.unanswered();
  expect(away.snapshot()).toEqual({ offline: false, asOf: null, nextAt: NOON + 2000 });
});

test('without a network it says so at once, and asks when there is one', async () => {
  vi.stubGlobal('navigator', { onLine: false });
  away.lost(NOON);
  expect(away.snapshot()).toMatchObject({ offline: true, asOf: NOON });
  vi.stubGlobal('navigator', { onLine: true });
  ready = true;
  window.dispatchEvent(new Event('online'));
  await pass(0);
  expect([back, away.snapshot()]).toEqual([1, null]);
});

test('a hidden page doesn’t ask until it is looked at', async () => {
  away.lost(NOON);
  Object.assign(document, { hidden: true });
  await pass(60_000);
  expect(asked).toBe(0);
  Object.assign(document, { hidden: false });
  document.dispatchEvent(new Event('visibilitychange'));
  await pass(0);
  expect(asked).toBe(1);
});

test('another page’s data have another age', async () => {
  away.lost(NOON - 5000);
  await pass(1000);
  away.lost(NOON - 90_000);
  expect(away.snapshot()?.asOf).toBe(NOON - 90_000);
});
