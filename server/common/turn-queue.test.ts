import { setMaxListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { AppError } from './errors.schema.ts';
import { SharedWork } from './shared-work.ts';
import { TurnQueue, type TurnLimits } from './turn-queue.ts';

const LIMITS: TurnLimits = {
  rest: 0,
  burstMs: 400,
  longestMs: 50,
  stallMs: 10,
  atOnce: 32,
  reserved: 4,
  waitMs: 2000,
  line: 64,
  places: 1024,
};

const forever = new AbortController().signal;
setMaxListeners(0, forever);

/** A queue, and what was rendered in which order. */
function aQueue(limits: Partial<TurnLimits> = {}, isBusy = false) {
  const refusal = () => new AppError('unavailable', 'Too many.', { retryAfter: 2 });
  const queue = new TurnQueue(() => isBusy, { ...LIMITS, ...limits }, refusal);
  const rendered: string[] = [];
  const ask = (line: string | null, what = String(line), signal = forever) =>
    new SharedWork(queue, () => {
      rendered.push(what);
      return Promise.resolve(what);
    }).wait(line, signal);
  return { queue, rendered, ask };
}

/** Keeps the event loop for some milliseconds. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('whose turn it is to render', () => {
  test('clients take turns, however many pages one of them asks for, and reviewers come first', async () => {
    const { rendered, ask } = aQueue();
    await Promise.all([
      ...['a1', 'a2', 'a3', 'a4'].map((what) => ask('a', what)),
      ask('b', 'b1'),
      ask(null, 'reviewer'),
      ask('c', 'c1'),
    ]);
    expect(rendered).toEqual(['reviewer', 'a1', 'b1', 'c1', 'a2', 'a3', 'a4']);
  });

  test('a client has so many places, and when all are taken the longest line gives one up', async () => {
    const { queue, ask } = aQueue({ line: 3, places: 4 });
    const lines = ['a', 'a', 'a', 'a', 'b', 'c', 'd', 'e', null, null];
    const ends = await Promise.allSettled(lines.map((line) => ask(line)));
    const refused = ends.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []));
    // Its fourth, then its third and second for the others, and at last any line's only one.
    expect(refused).toHaveLength(4);
    expect(refused).toEqual(expect.arrayContaining([1, 2, 3]));
    expect(refused).not.toContain(7);
    expect(ends[1]).toMatchObject({ reason: { code: 'unavailable', retryAfter: 2 } });
    expect(queue.waiting).toBe(0);
  });

  test('reviewers come in while all places are taken, and while all others hang', async () => {
    const { queue, rendered, ask } = aQueue({ places: 2, atOnce: 2, stallMs: 1 });
    const gone = new AbortController();
    const hang = (signal: AbortSignal) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    const hung = ['a', 'b'].map((line) => new SharedWork(queue, hang).wait(line, gone.signal));
    while (queue.waiting > 0) await turn();
    const waits = ['c', 'd'].map((line) => ask(line, line, gone.signal));
    await Promise.all([ask(null, 'reviewer'), ask(null, 'reviewer')]);
    expect([rendered, queue.waiting]).toEqual([['reviewer', 'reviewer'], 2]);
    gone.abort(new Error('enough'));
    await Promise.allSettled([...hung, ...waits]);
  });

  test('what many wait for has one place for each client, and is refused only without any', async () => {
    const { queue, rendered, ask } = aQueue({ line: 2, places: 5 });
    const shared = new SharedWork(queue, () => Promise.resolve(rendered.push('shared')));
    const own = ['a1', 'a2'].map((what) => ask('a', what));
    const lines = ['b', 'c', 'a'].flatMap((line) => Array<string>(50).fill(line));
    const readers = lines.map((line) => shared.wait(line, forever));
    // The line of `a` is full, so it waits with the others.
    expect(queue.waiting).toBe(4);
    await Promise.all([...own, ...readers]);
    expect(rendered).toEqual(['a1', 'shared', 'a2']);

    const gone = new AbortController();
    const next = new SharedWork(queue, () => Promise.resolve());
    const others = ['a1', 'a2'].map((what) => ask('a', what));
    const left = [
      next.wait('b', gone.signal),
      next.wait('b', gone.signal),
      next.wait('a', forever),
    ];
    gone.abort(new Error('hung up'));
    const ends = await Promise.allSettled(left);
    expect(ends).toMatchObject([
      { reason: { message: 'hung up' } },
      { reason: { message: 'hung up' } },
      { reason: { code: 'unavailable' } },
    ]);
    await Promise.all(others);
    expect(queue.waiting).toBe(0);
  });

  test('many pages of reviewers leave the others no longer a rest than one page', async () => {
    const limits = { rest: 30, burstMs: 0, longestMs: 5, waitMs: 1500 };
    const { queue, rendered, ask } = aQueue(limits, true);
    const render = () => {
      work(5);
      return Promise.resolve();
    };
    await Promise.all(
      Array.from({ length: 20 }, () => new SharedWork(queue, render).wait(null, forever)),
    );
    await ask('a');
    expect(rendered).toEqual(['a']);
  });

  test('who has gone is not rendered for, and who waits too long is refused', async () => {
    const { queue, rendered, ask } = aQueue({ waitMs: 50, stallMs: 60_000 });
    let end = () => {};
    const stuck = new SharedWork(queue, () => new Promise<void>((resolve) => (end = resolve)));
    const ended = stuck.wait('a', forever);
    await turn();
    const gone = new AbortController();
    const left = ask('b', 'left', gone.signal);
    gone.abort(new Error('hung up'));
    await expect(left).rejects.toThrow('hung up');
    await expect(ask('c')).rejects.toMatchObject({ code: 'unavailable' });
    expect(queue.waiting).toBe(0);
    end();
    await ended;
    await ask('d');
    expect(rendered).toEqual(['d']);
  });

  test('what is rendered for several goes on until the last of them has gone', async () => {
    const { queue } = aQueue();
    let begun = 0;
    let aborted = false;
    const shared = new SharedWork(queue, (signal) => {
      begun++;
      return new Promise<void>((_, reject) =>
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('nobody waits'));
        }),
      );
    });
    const [one, other] = [new AbortController(), new AbortController()];
    const waits = Promise.allSettled([
      shared.wait('a', one.signal),
      shared.wait('b', other.signal),
    ]);
    await turn();
    one.abort(new Error('gone'));
    await turn();
    expect([begun, aborted]).toEqual([1, false]);
    other.abort(new Error('gone'));
    await waits;
    expect([begun, aborted, queue.waiting]).toEqual([1, true, 0]);
  });

  test.each([
    ['while other requests come, the loop is theirs after a rendering', true, 1],
    ['while no others come, one follows the other', false, 2],
  ])('%s', async (_, isBusy, begun) => {
    const { queue } = aQueue({ rest: 1000, burstMs: 0 }, isBusy);
    let renderings = 0;
    const gone = new AbortController();
    const render = () => {
      renderings++;
      work(2);
      return Promise.resolve();
    };
    const asked = ['a', 'b'].map((line) => new SharedWork(queue, render).wait(line, gone.signal));
    await asked[0];
    for (let n = 0; n < 20; n++) await turn();
    expect(renderings).toBe(begun);
    gone.abort(new Error('enough'));
    await Promise.allSettled(asked);
  });

  test('requests that arrived during a rendering are read before the next', async () => {
    const { queue } = aQueue();
    const order: string[] = [];
    const render = () => {
      setImmediate(() => order.push('other'));
      order.push('rendering');
      return Promise.resolve();
    };
    await Promise.all(['a', 'a'].map((line) => new SharedWork(queue, render).wait(line, forever)));
    await turn();
    expect(order).toEqual(['rendering', 'other', 'rendering', 'other']);
  });
});
