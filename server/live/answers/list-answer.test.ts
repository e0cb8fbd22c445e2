import fc from 'fast-check';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { ListAnswer } from './list-answer.ts';
import type { Layout, ListContext } from './list-layout.ts';
import { ListWorker, type ListResult } from './list-worker-client.ts';
import type { Bytes, Encoding } from './answer.ts';

interface Row {
  id: string;
  order: number;
  value: number;
  freshUntil: number;
}

const workers: ListWorker[] = [];
afterAll(() => Promise.all(workers.map((worker) => worker.stop())));

const errors: unknown[] = [];
let lists = 0;
let now = 0;

const contextOf = (listWorker: ListWorker): ListContext => ({
  clock: () => now,
  listWorker,
  live: { degraded: () => false },
  log: { warn: (line: unknown) => void errors.push(line) },
});

/** Two lists of the same rows, one made in the event loop and one by the worker. */
function twoLists(worker: ListWorker) {
  let version = 0;
  const make = (worker: ListWorker) =>
    new ListAnswer<Row>(contextOf(worker), {
      id: `list ${++lists}`,
      name: 'rows',
      order: (row) => row.order,
      render(row, now, until) {
        if (row.value % 7 === 0) return null;
        if (now <= row.freshUntil) until(row.freshUntil);
        return JSON.stringify({ ...row, ä: now <= row.freshUntil ? 'fresh' : 'old' });
      },
      frame: (now) => ({
        head: { updatedAt: new Date(now).toISOString(), ö: version },
        tail: ',"more":[1]',
        mark: null,
      }),
      version: () => String(version),
    });
  const small = make(new ListWorker(Infinity));
  const large = make(worker);
  const change = (act: (list: ListAnswer<Row>) => void) => {
    version++;
    act(small);
    act(large);
  };
  return { small, large, change };
}

const text = ({ body, encoding }: Bytes) =>
  (encoding === 'br'
    ? brotliDecompressSync(body)
    : encoding === 'gzip'
      ? gunzipSync(body)
      : body
  ).toString();

/** The content is the same from one moment to another, and so is its tag. */
const withoutMoment = (json: string) => json.replace(/"updatedAt":"[^"]*"/, '');
const timeless = ({ head, ...layout }: Layout<null>) => ({ ...layout, head: withoutMoment(head) });

/** The worker's newest answer may be a second behind. */
async function level({ small, large }: Pick<ReturnType<typeof twoLists>, 'small' | 'large'>) {
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    const [a, b] = [await small.answer(), await large.answer()];
    if (a.etag === b.etag) return [a, b] as const;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error('The worker’s answer never became that of the rows.');
}

async function expectSame(both: ReturnType<typeof twoLists>): Promise<void> {
  const [a, b] = await level(both);
  expect(b.size).toBe(a.size);
  expect(timeless(b.content.layout)).toEqual(timeless(a.content.layout));
  for (const encoding of ['identity', 'br', 'gzip'] satisfies Encoding[]) {
    const [one, other] = [await a.in(encoding), await b.in(encoding)];
    expect(other).toMatchObject({ etag: one.etag, encoding });
    expect(withoutMoment(text(other))).toBe(withoutMoment(text(one)));
  }
}

test('the worker’s answer is that of the event loop, with the same tag, after any sequence of changes', async () => {
  const worker = new ListWorker(1);
  workers.push(worker);
  const n = fc.nat(600);
  const step = fc.oneof(
    fc.record({ do: fc.constant('set' as const), n, value: fc.nat(), fresh: fc.nat(50) }),
    fc.record({ do: fc.constant('fill' as const), n: fc.nat(2500), value: fc.nat(), fresh: n }),
    fc.record({ do: fc.constant('delete' as const), n }),
    fc.record({ do: fc.constant('pass' as const), n: fc.nat(40) }),
    fc.record({ do: fc.constant('read' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const both = twoLists(worker);
      const set = (n: number, value: number, fresh: number) => {
        const row = { id: `r${n}`, order: (n * 7919) % 100, value, freshUntil: now + fresh };
        both.change((list) => list.set(row));
      };
      set(0, 1, 0);
      for (const step of steps) {
        if (step.do === 'set') set(step.n, step.value, step.fresh);
        if (step.do === 'fill')
          for (let n = 0; n < step.n; n++) set(n, step.value + n, step.fresh % (n + 1));
        if (step.do === 'delete') both.change((list) => list.delete(`r${step.n}`));
        if (step.do === 'pass') now += step.n;
        if (step.do === 'read') await both.large.answer();
      }
      await expectSame(both);
    }),
    { numRuns: rounds(25) },
  );
  expect(errors).toEqual([]);
});

test('a worker that dies is replaced, and no read fails', async () => {
  const worker = new ListWorker(1);
  workers.push(worker);
  const both = twoLists(worker);
  for (let n = 0; n < 2000; n++)
    both.change((list) => list.set({ id: `r${n}`, order: n, value: 1, freshUntil: now }));
  await expectSame(both);
  for (let round = 0; round < 5; round++) {
    const reads = Promise.all(
      Array.from({ length: 20 }, async (_, read) => {
        await new Promise((resolve) => setTimeout(resolve, read));
        return text(await (await both.large.answer()).in(read % 2 ? 'br' : 'gzip'));
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, round * 4));
    await worker.stop();
    both.change((list) => list.set({ id: 'r7', order: 7, value: round, freshUntil: now }));
    for (const json of await reads) expect(JSON.parse(json)).toHaveProperty('rows');
    await expectSame(both);
  }
});

/** Notes when answers were made. */
class NotingWorker extends ListWorker {
  readonly makings: { startedAt: number; endedAt: number; ms: number }[] = [];

  override async make(...request: Parameters<ListWorker['make']>): Promise<ListResult> {
    const startedAt = performance.now();
    const reply = await super.make(...request);
    this.makings.push({ startedAt, endedAt: performance.now(), ms: reply.ms });
    return reply;
  }
}

test('one making serves all who ask, and rests for nine times as long as it took', async () => {
  const worker = new NotingWorker(1);
  workers.push(worker);
  const both = twoLists(worker);
  for (let n = 0; n < 10_000; n++)
    both.change((list) => list.set({ id: `r${n}`, order: n, value: 1, freshUntil: now }));
  let reads = 0;
  const given = new Set<Buffer>();
  while (worker.makings.length < 5) {
    both.change((list) => list.set({ id: 'r1', order: 1, value: reads, freshUntil: now }));
    const bodies = Array.from({ length: 10 }, async () => {
      reads++;
      return (await (await both.large.answer()).in('br')).body;
    });
    for (const body of await Promise.all(bodies)) given.add(body);
    await new Promise(setImmediate);
  }
  worker.makings.forEach(({ startedAt }, n) => {
    const before = worker.makings[n - 1];
    if (before) expect(startedAt - before.endedAt).toBeGreaterThanOrEqual(before.ms * 9 - 1);
  });
  expect(given.size).toBeLessThanOrEqual(worker.makings.length);
  expect(reads).toBeGreaterThan(worker.makings.length * 10);
});
