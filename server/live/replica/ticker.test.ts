import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { Ticker } from './ticker.ts';

describe('a ticker', () => {
  test('wakes all streams at the same moment', async () => {
    const ticker = new Ticker(() => 7, 1);
    const { signal } = new AbortController();
    expect(await Promise.all([ticker.next(signal), ticker.next(signal)])).toEqual([7, 7]);
  });

  test('ends the stream whose signal aborts, and only that one', async () => {
    const ticker = new Ticker(() => 7, 20);
    const gone = new AbortController();
    const waits = [ticker.next(gone.signal), ticker.next(new AbortController().signal)];
    gone.abort();
    expect(await Promise.all(waits)).toEqual([null, 7]);
    expect(await ticker.next(gone.signal)).toBeNull();
  });

  test('ends every stream when it stops', async () => {
    const ticker = new Ticker(() => 7, 60_000);
    const { signal } = new AbortController();
    const wait = ticker.next(signal);
    ticker.stop();
    expect(await wait).toBeNull();
    expect(await ticker.next(signal)).toBeNull();
  });

  test('keeps nothing of the ticks of a stream that stays open', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heap = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const ticker = new Ticker(() => 0, 0);
    const streams = Array.from({ length: 500 }, () => new AbortController());
    const tick = () => Promise.all(streams.map(({ signal }) => ticker.next(signal)));
    for (let ticks = 0; ticks < 20; ticks++) await tick();
    const before = heap();
    const TICKS = 200;
    for (let ticks = 0; ticks < TICKS; ticks++) await tick();
    expect((heap() - before) / (TICKS * streams.length)).toBeLessThan(10);
  });
});
