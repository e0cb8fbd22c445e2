import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Rendering } from './rendering.ts';
import { RENDERING, RenderQueue, type RenderLimits } from './render-queue.ts';

const forever = new AbortController().signal;

/** A queue, and what was rendered in which order. */
function aQueue(limits: Partial<RenderLimits> = {}, isBusy = false) {
  const queue = new RenderQueue(() => isBusy, { ...RENDERING, rest: 0, ...limits });
  const rendered: string[] = [];
  const ask = (line: string | null, what = String(line), signal = forever) =>
    new Rendering(queue, () => {
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

  test('a client has so many places, and all have so many', async () => {
    const { queue, ask } = aQueue({ line: 2, places: 3 });
    const ends = await Promise.allSettled(['a', 'a', 'a', 'b', 'c'].map((line) => ask(line)));
    expect(ends.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect(ends[2]).toMatchObject({ reason: { code: 'unavailable', retryAfter: 2 } });
    expect(queue.waiting).toBe(0);
  });

  test('who has gone is not rendered for, and who waits too long is refused', async () => {
    const { queue, rendered, ask } = aQueue({ waitMs: 50, stallMs: 60_000 });
    let end = () => {};
    const stuck = new Rendering(queue, () => new Promise<void>((resolve) => (end = resolve)));
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
    const shared = new Rendering(queue, (signal) => {
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
    const asked = ['a', 'b'].map((line) => new Rendering(queue, render).wait(line, gone.signal));
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
    await Promise.all(['a', 'a'].map((line) => new Rendering(queue, render).wait(line, forever)));
    await turn();
    expect(order).toEqual(['rendering', 'other', 'rendering', 'other']);
  });
});
