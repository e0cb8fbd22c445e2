import { expect, onTestFinished, test } from 'vitest';
import { changesOf } from '../../../test/support/changes.ts';
import { ChangeStream } from './change-stream.ts';
import { LiveTable, type VersionedRow } from './live-table.ts';
import { Ticker } from './ticker.ts';

/** A stream that ticks every millisecond, of a table and of a head that the test changes. */
function aStream() {
  const clock = () => 7;
  const ticker = new Ticker(clock, 1);
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const table = new LiveTable<VersionedRow>();
  const head = { status: 'unknown' };
  const stream = new ChangeStream(
    { clock, serverId: 'own', ticker },
    {
      table,
      list: { whole: () => Promise.reject(new Error('Nobody asks for the whole list.')) },
      headVersion: () => head.status,
      head: () => ({ ...head }),
      aged: () => false,
      present: (row) => row,
    },
  );
  return {
    table,
    head,
    /** Resolves after some ticks, long enough for an event. */
    async pass() {
      for (let ticks = 0; ticks < 3; ticks++) await ticker.next(leave.signal);
    },
    follow: () => changesOf(stream.follow(stream.cursor(), leave.signal)),
  };
}

test('a change of the head is an event, although no row has changed', async () => {
  const { table, head, pass, follow } = aStream();
  const next = follow().next();
  head.status = 'degraded';
  await pass();
  table.apply([{ id: 'a', rev: 1 }]);
  expect((await next).value).toMatchObject({ head: { status: 'degraded' }, rows: [], removed: [] });
});

test('nothing is sent while neither a row nor the head changes', async () => {
  const { table, pass, follow } = aStream();
  const next = follow().next();
  await pass();
  table.apply([{ id: 'a', rev: 1 }]);
  expect((await next).value).toMatchObject({ rows: [{ id: 'a', rev: 1 }], removed: [] });
});
