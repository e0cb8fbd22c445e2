import { expect, test } from 'vitest';
import { LIMITS } from '../base/limits.ts';
import { Budgets } from './budgets.ts';

const SECOND_MS = 1000;

function budgeting(max?: number) {
  const clock = { now: 0 };
  const budgets = new Budgets({
    connectionsPerHost: 2,
    connectionsPerHostPerSecond: 5,
    ...(max !== undefined && { max }),
    now: () => clock.now,
  });
  /** How many of some kind are granted one after the other. */
  const granted = (host: string, kind: 'connections' | 'records' = 'connections', count = 1) => {
    const budget = budgets.of(`/ip4/${host}/tcp/1`);
    let times = 0;
    while (budget.take(kind, count)) times += 1;
    return times;
  };
  return { clock, granted };
}

test('a host has one budget, however often it comes back, and gets it back with time', () => {
  const { clock, granted } = budgeting();
  expect([granted('8.8.8.8'), granted('8.8.8.8')]).toEqual([5, 0]);
  expect(granted('8.8.8.8', 'records', 64)).toBe(LIMITS.recordsBurst / 64);
  expect(granted('9.9.9.9')).toBe(5);
  clock.now += SECOND_MS;
  expect(granted('8.8.8.8')).toBe(5);
});

test('a network has as much as some hosts, however many it has; a private one counts host by host', () => {
  const { granted } = budgeting();
  const each = (network: string) => Array.from({ length: 6 }, (_, n) => granted(`${network}.${n}`));
  expect(each('8.8.8')).toEqual([5, 5, 5, 5, 0, 0]);
  expect(each('127.0.0')).toEqual([5, 5, 5, 5, 5, 5]);
  expect(LIMITS.hostsPerNetwork).toBe(4);
});

test('nobody gets a new budget by having more hosts used than are remembered', () => {
  const { clock, granted } = budgeting(10);
  expect(granted('8.0.0.1')).toBe(5);
  const others = Array.from({ length: 30 }, (_, n) => granted(`9.${n}.0.1`));
  // The last ones share what one host has.
  expect(others).toEqual([...Array<number>(9).fill(5), 5, ...Array<number>(20).fill(0)]);
  expect(granted('8.0.0.1')).toBe(0);
  // Who has all back may be forgotten.
  clock.now += SECOND_MS;
  expect(Array.from({ length: 10 }, (_, n) => granted(`10.${n}.0.1`))).toEqual(
    Array<number>(10).fill(5),
  );
});

test.each([1, 25])(
  'hosts that are ever new, of so many networks, keep no newcomer out: %i',
  (networks) => {
    const clock = { now: 0 };
    const limits = { connectionsPerHost: 8, connectionsPerHostPerSecond: 5, now: () => clock.now };
    const budgets = new Budgets(limits);
    const connects = (address: string) => budgets.of(`/${address}/tcp/1`).take('connections', 1);
    // What was used longest ago makes no room for half a minute.
    expect(budgets.of('/ip4/9.9.9.9/tcp/1').take('records', 4 * LIMITS.recordsBurst)).toBe(true);
    const refused: string[] = [];
    for (let n = 0; n < 6500; n++) {
      clock.now += SECOND_MS / 500;
      connects(`ip6/2600:1:${n % networks}:${n.toString(16)}::1`);
      const newcomer = `ip4/${20 + (n % 80)}.${n >> 8}.1.1`;
      if (n % 50 === 0 && !connects(newcomer)) refused.push(newcomer);
    }
    expect(refused).toEqual([]);
  },
);
