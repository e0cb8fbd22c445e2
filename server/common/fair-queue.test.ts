import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

/** A queue whose work is done when `finish` is called, and what was done in it. */
function setUp(places = 100, placesOfClient = 8) {
  const queue = new FairQueue({
    places,
    placesOfClient,
    tooMany: () => new Error('too many'),
    refusal: () => new Error('refused'),
  });
  const order: string[] = [];
  const running: (() => void)[] = [];
  const ask = (client: string, name = client, signal?: AbortSignal) =>
    queue
      .run(
        client,
        () => {
          order.push(name);
          return new Promise<void>((resolve) => running.push(resolve));
        },
        signal,
      )
      .then(
        () => 'done',
        (error: Error) => error.message,
      );
  const finish = async () => {
    expect(running).toHaveLength(1);
    running.pop()?.();
    await new Promise(setImmediate);
  };
  const finishAll = async () => {
    while (running.length > 0) await finish();
  };
  return { queue, order, ask, finish, finishAll };
}

test('clients take turns, each in its own order, one piece at a time', async () => {
  const { order, ask, finishAll, queue } = setUp();
  const asked = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => ask(name[0] ?? '', name));
  expect([order, queue.size]).toEqual([['a1'], 6]);
  await finishAll();
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['done']));
  expect(queue.size).toBe(0);
});

test('forty requests of one client keep none of fifty others out', async () => {
  const { ask, finishAll } = setUp();
  const greedy = Array.from({ length: 40 }, () => ask('greedy'));
  const others = Array.from({ length: 50 }, (_, n) => ask(`client ${n}`));
  await finishAll();
  expect(await Promise.all(greedy)).toEqual([
    ...Array(9).fill('done'),
    ...Array(31).fill('too many'),
  ]);
  expect(new Set(await Promise.all(others))).toEqual(new Set(['done']));
});

test('when all places are taken, who has the most gives one up, and nobody who has as few', async () => {
  const { order, ask, finishAll } = setUp(6, 4);
  const first = ['x0', 'a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) =>
    ask(name[0] ?? '', name),
  );
  // Nobody has more than it.
  const greedy = ask('a', 'a5');
  const others = ['d1', 'e1', 'f1'].map((name) => ask(name[0] ?? '', name));
  await finishAll();
  expect(order).toEqual(['x0', 'a1', 'b1', 'c1', 'd1', 'e1', 'f1']);
  expect((await Promise.all(first)).filter((one) => one === 'refused')).toHaveLength(4);
  expect(await greedy).toBe('too many');
  expect(new Set(await Promise.all(others))).toEqual(new Set(['done']));
});

test('a hundred clients with one piece each keep no newcomer out: any of them gives up its place', async () => {
  const { ask, finishAll, queue } = setUp();
  const crowd = Array.from({ length: 101 }, (_, n) => ask(`client ${n}`));
  const newcomer = ask('newcomer');
  expect(queue.size).toBe(100);
  await finishAll();
  expect(await newcomer).toBe('done');
  expect((await Promise.all(crowd)).filter((one) => one === 'refused')).toHaveLength(1);
});

test('who has gone has no turn, and its place is free', async () => {
  const { order, ask, finishAll, queue } = setUp(2, 2);
  const going = new AbortController();
  const asked = [ask('a'), ask('b', 'b1', going.signal), ask('b', 'b2')];
  going.abort();
  expect(queue.size).toBe(1);
  asked.push(ask('c'), ask('d', 'd', going.signal));
  await finishAll();
  expect(await Promise.all(asked)).toEqual(['done', 'refused', 'done', 'done', 'refused']);
  expect(order).toEqual(['a', 'b2', 'c']);
});

test('everything that waits can be refused, and what is asked afterwards is done', async () => {
  const { order, queue, ask, finishAll } = setUp();
  const asked = ['a', 'b', 'b', 'c'].map((client) => ask(client));
  queue.refuseAll();
  expect(queue.size).toBe(0);
  const later = ask('d');
  await finishAll();
  expect(await Promise.all([...asked, later])).toEqual([
    'done',
    'refused',
    'refused',
    'refused',
    'done',
  ]);
  expect(order).toEqual(['a', 'd']);
});

test('work that fails is an error of its own, and the next is done', async () => {
  const { queue } = setUp();
  const failing = queue.run('a', () => Promise.reject(new Error('broken')));
  const next = queue.run('b', () => Promise.resolve('done'));
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
});
