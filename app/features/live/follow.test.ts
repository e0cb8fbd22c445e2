import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Clock } from '#app/lib/clock.ts';
import { SERVICE_BACK } from '#app/lib/service-away.ts';
import { follow, type LiveSource } from './follow.ts';
import { LiveStore } from './live-store.ts';

interface Head {
  updatedAt: string;
}
interface Row {
  id: string;
  text: string;
}
type Source = LiveSource<Head, Row>;
type Events = Parameters<NonNullable<Source['stream']>>[1];

const START = Date.parse('2026-07-17T12:00:00.000Z');
const POLL_MS = 10_000;
const row = (id: string, text = ''): Row => ({ id, text });
const iso = (ms: number) => new Date(ms).toISOString();

/** What the server has. A test changes it, and what is answered: null is no answer. */
let server: { rows: Row[]; etag: string | null; status: number | null };
/** Every question for all rows. */
let loads: { signal: AbortSignal }[];
/** The answers are held back until this resolves. */
let held: Promise<void> | undefined;
/** How often an answer was parsed. */
let parsed: number;
/** Every stream that was opened. */
let streams: { lastEventId: string; events: Events; closed: boolean }[];
let store: LiveStore<Head, Row>;
let stop: () => void;

const source: Source = {
  async load(signal) {
    loads.push({ signal });
    signal.throwIfAborted();
    const { rows, etag, status } = server;
    const updatedAt = iso(Date.now());
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      void (held ?? Promise.resolve()).then(resolve);
    });
    if (status === null) throw new TypeError('Failed to fetch');
    return new Response(JSON.stringify({ updatedAt, rows }), {
      status,
      headers: etag === null ? {} : { etag },
    });
  },
  read(body) {
    parsed++;
    const { updatedAt, rows } = body as Head & { rows: Row[] };
    return { head: { updatedAt }, rows };
  },
  stream({ lastEventId }, events) {
    const stream = { lastEventId, events, closed: false };
    streams.push(stream);
    return { unsubscribe: () => (stream.closed = true) };
  },
};

/** The stream that was opened last. */
const stream = () => {
  const last = streams.at(-1);
  if (!last) throw new Error('No stream was opened.');
  return last.events;
};
const connected = () => stream().onConnectionStateChange({ state: 'pending' });
const reconnecting = () => stream().onConnectionStateChange({ state: 'connecting' });
const event = (id: string, rows: Row[], removed: string[] = []) =>
  stream().onData({
    id,
    data: { type: 'changes', head: { updatedAt: iso(Date.now()) }, rows, removed },
  });
const texts = () => store.snapshot().rows?.map(({ id, text }) => `${id}:${text}`);
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** What has been answered arrives. */
const settle = () => pass(0);

async function begin(changed: Partial<Source> = {}): Promise<void> {
  stop = follow(store, { ...source, ...changed }, 'cursor');
  await settle();
}

/** The tab is shown or hidden. */
async function setHidden(hidden: boolean): Promise<void> {
  Object.assign(document, { hidden });
  document.dispatchEvent(new Event('visibilitychange'));
  await settle();
}

beforeEach(() => {
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
  vi.stubGlobal('window', new EventTarget());
  vi.useFakeTimers({ now: START });
  // Node's own timeouts of signals don't follow the clock of the test.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const timeout = new AbortController();
    setTimeout(() => timeout.abort(), ms);
    return timeout.signal;
  });
  // Delays are spread from 75 to 125 %: these are the longest.
  vi.spyOn(Math, 'random').mockReturnValue(1);
  server = { rows: [row('a')], etag: '"1"', status: 200 };
  [loads, streams, parsed, held] = [[], [], 0, undefined];
  store = new LiveStore<Head, Row>({ updatedAt: iso(START) }, null, new Clock());
});
afterEach(() => {
  stop();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('at the start', () => {
  test('all rows are loaded, then the stream continues from the position before them', async () => {
    await begin();
    expect(texts()).toEqual(['a:']);
    expect(streams.map(({ lastEventId }) => lastEventId)).toEqual(['cursor']);
    reconnecting();
    expect(store.connection).toEqual({ state: 'starting' });
    connected();
    expect(store.connection).toEqual({ state: 'live' });
  });

  test('a change between the position and the list is applied on top of the list', async () => {
    await begin();
    connected();
    event('1', [row('between')]);
    expect(texts()).toEqual(['a:', 'between:']);
  });

  test('no stream is opened before the rows are there', async () => {
    let arrive = () => {};
    held = new Promise((resolve) => (arrive = resolve));
    await begin();
    await pass(5000);
    expect(streams).toEqual([]);
    arrive();
    await settle();
    expect(streams).toHaveLength(1);
  });

  test.each([
    ['no answer', null],
    ['an error', 503],
  ])('after %s the stream begins with a snapshot', async (_, status) => {
    server.status = status;
    await begin();
    expect(store.snapshot().rows).toBeNull();
    expect(streams.map(({ lastEventId }) => lastEventId)).toEqual(['']);
    stream().onData({
      id: '1',
      data: {
        type: 'snapshot',
        head: { updatedAt: iso(START) },
        rows: [row('a'), row('b')],
        removed: [],
      },
    });
    expect(texts()).toEqual(['a:', 'b:']);
  });

  test('an answer that isn’t JSON counts as none', async () => {
    await begin({ load: () => Promise.resolve(new Response('<html>')) });
    expect(store.snapshot().rows).toBeNull();
    expect(streams.map(({ lastEventId }) => lastEventId)).toEqual(['']);
  });

  test('an answer that takes 20 s counts as none', async () => {
    held = new Promise(() => {});
    await begin();
    await pass(19_999);
    expect(streams).toEqual([]);
    await pass(1);
    expect(streams.map(({ lastEventId }) => lastEventId)).toEqual(['']);
  });
});

describe('in a browser without AbortSignal.any', () => {
  const { any } = AbortSignal;
  beforeEach(() => void Reflect.deleteProperty(AbortSignal, 'any'));
  afterEach(() => void Object.assign(AbortSignal, { any }));

  test('all rows are loaded', async () => {
    await begin();
    expect(texts()).toEqual(['a:']);
    expect(streams.map(({ lastEventId }) => lastEventId)).toEqual(['cursor']);
  });
});

describe('a stream that works', () => {
  beforeEach(async () => {
    await begin();
    connected();
  });

  test('is not polled beside', async () => {
    await pass(5 * POLL_MS);
    expect(loads).toHaveLength(1);
    expect(store.connection).toEqual({ state: 'live' });
  });

  test('that reconnects by itself is neither reopened nor started again', async () => {
    reconnecting();
    expect(store.connection).toEqual({ state: 'stale', asOf: START });
    await pass(9000);
    connected();
    expect(store.connection).toEqual({ state: 'live' });
    await pass(5 * POLL_MS);
    expect(streams).toHaveLength(1);
    expect(loads).toHaveLength(1);
  });

  test('is shown as of its last change when it is lost', async () => {
    await pass(3000);
    event('1', []);
    await pass(4000);
    reconnecting();
    expect(store.connection).toEqual({ state: 'stale', asOf: START + 3000 });
  });

  test.each(['onError', 'onComplete'] as const)(
    'is reopened after %s, at the position of its last change',
    async (end) => {
      event('7', [row('b')]);
      stream()[end]();
      expect(store.connection.state).toBe('stale');
      await pass(625);
      expect(streams.map(({ lastEventId }) => lastEventId)).toEqual(['cursor', '7']);
      connected();
      event('8', [row('c')], ['a']);
      expect(texts()).toEqual(['b:', 'c:']);
      expect(store.connection).toEqual({ state: 'live' });
    },
  );
});

describe('a stream that fails again and again', () => {
  test('is reopened at once when the service answers again, and only then', async () => {
    await begin();
    connected();
    window.dispatchEvent(new Event(SERVICE_BACK));
    expect(streams).toHaveLength(1);
    stream().onError();
    window.dispatchEvent(new Event(SERVICE_BACK));
    expect(streams).toHaveLength(2);
    await pass(20_000);
    expect(streams).toHaveLength(2);
    stream().onError();
    stop();
    window.dispatchEvent(new Event(SERVICE_BACK));
    expect(streams).toHaveLength(2);
  });

  test('is reopened after 0.5, 1, 2, 5 and then every 10 s, spread by a quarter', async () => {
    server.status = null;
    await begin();
    for (const [opened, ms] of [500, 1000, 2000, 5000, 10_000, 10_000].entries()) {
      stream().onError();
      await pass(ms * 1.25 - 1);
      expect(streams).toHaveLength(opened + 1);
      await pass(1);
      expect(streams).toHaveLength(opened + 2);
    }
    vi.spyOn(Math, 'random').mockReturnValue(0);
    stream().onError();
    await pass(7499);
    expect(streams).toHaveLength(7);
    await pass(1);
    expect(streams).toHaveLength(8);
  });

  test('is reopened quickly again once a change has come', async () => {
    await begin();
    for (const ms of [625, 1250, 2500]) {
      stream().onError();
      await pass(ms);
    }
    connected();
    event('1', []);
    stream().onError();
    await pass(625);
    expect(streams).toHaveLength(5);
  });
});

describe('without a stream', () => {
  beforeEach(async () => {
    await begin();
    connected();
    stream().onError();
  });

  test('all rows are polled every 10 s', async () => {
    expect(store.connection.state).toBe('stale');
    await pass(POLL_MS);
    expect(store.connection).toEqual({ state: 'polling' });
    server = { rows: [row('a'), row('b')], etag: '"2"', status: 200 };
    await pass(POLL_MS);
    expect(texts()).toEqual(['a:', 'b:']);
    expect(loads).toHaveLength(3);
  });

  test('an answer that the page has already is not parsed again, but is news', async () => {
    await pass(POLL_MS);
    expect(loads).toHaveLength(2);
    expect(parsed).toBe(1);
    server.status = null;
    await pass(POLL_MS);
    expect(store.connection).toEqual({ state: 'stale', asOf: START + POLL_MS });
  });

  test('an answer without an ETag is always parsed', async () => {
    server.etag = null;
    await pass(2 * POLL_MS);
    expect(parsed).toBe(3);
  });

  test('a poll that fails shows how old the data is, and the next one that works clears it', async () => {
    server.status = 500;
    await pass(POLL_MS);
    expect(store.connection).toEqual({ state: 'stale', asOf: START });
    expect(texts()).toEqual(['a:']);
    server.status = 200;
    await pass(POLL_MS);
    expect(store.connection).toEqual({ state: 'polling' });
    expect(loads).toHaveLength(3);
  });

  test('polls follow one another, however slow the answers are', async () => {
    let arrive = () => {};
    held = new Promise((resolve) => (arrive = resolve));
    await pass(POLL_MS + 15_000);
    expect(loads).toHaveLength(2);
    arrive();
    await settle();
    held = undefined;
    await pass(POLL_MS - 1);
    expect(loads).toHaveLength(2);
    await pass(1);
    expect(loads).toHaveLength(3);
  });

  test('the page that polls keeps saying so while the stream fails, and is live as soon as there is one', async () => {
    await pass(POLL_MS);
    stream().onError();
    expect(store.connection).toEqual({ state: 'polling' });
    await pass(POLL_MS);
    connected();
    expect(store.connection).toEqual({ state: 'live' });
    const { length } = loads;
    await pass(5 * POLL_MS);
    expect(loads).toHaveLength(length);
  });

  test('an answer that arrives after changes of a new stream doesn’t undo them', async () => {
    server = { rows: [row('a', 'old')], etag: '"2"', status: 200 };
    let arrive = () => {};
    held = new Promise((resolve) => (arrive = resolve));
    await pass(POLL_MS);
    expect(loads).toHaveLength(2);
    connected();
    event('9', [row('a', 'new')]);
    arrive();
    await settle();
    expect(texts()).toEqual(['a:new']);
    expect(store.connection).toEqual({ state: 'live' });
  });

  test('rows that the stream has changed are loaded again although the answer has the same ETag', async () => {
    await pass(POLL_MS);
    connected();
    event('9', [row('a', 'changed')]);
    stream().onError();
    await pass(POLL_MS);
    expect(texts()).toEqual(['a:']);
  });
});

describe('in a browser without event streams', () => {
  test('all rows are loaded at once and polled every 10 s', async () => {
    await begin({ stream: null });
    expect(texts()).toEqual(['a:']);
    expect(store.connection).toEqual({ state: 'polling' });
    server = { rows: [row('b')], etag: '"2"', status: 200 };
    await pass(POLL_MS);
    expect(texts()).toEqual(['b:']);
    expect(streams).toEqual([]);
  });
});

describe('once stopped', () => {
  const expectStopped = async () => {
    const before = { loads: loads.length, streams: streams.length, rows: texts() };
    const { connection } = store;
    await pass(10 * POLL_MS);
    expect({ loads: loads.length, streams: streams.length, rows: texts() }).toEqual(before);
    expect(store.connection).toEqual(connection);
    expect(vi.getTimerCount()).toBe(0);
  };

  test('the stream is closed, and its end reopens nothing', async () => {
    await begin();
    connected();
    stop();
    expect(streams.map(({ closed }) => closed)).toEqual([true]);
    stream().onComplete();
    await expectStopped();
  });

  test('neither a retry nor a poll follows', async () => {
    await begin();
    stream().onError();
    stop();
    await expectStopped();
  });

  test('the first answer, still on its way, is given up and opens no stream', async () => {
    held = new Promise(() => {});
    await begin();
    stop();
    expect(loads.map(({ signal }) => signal.aborted)).toEqual([true]);
    await expectStopped();
    expect(streams).toEqual([]);
  });

  test('an answer that can’t be given up any more changes nothing', async () => {
    let arrive = () => {};
    const answered = new Promise<void>((resolve) => (arrive = resolve));
    await begin({
      load: async () => {
        await answered;
        return Response.json({ updatedAt: iso(START), rows: [row('late')] });
      },
    });
    stop();
    arrive();
    await pass(POLL_MS);
    expect(store.snapshot().rows).toBeNull();
    expect(streams).toEqual([]);
  });

  test('a poll on its way ends the polling', async () => {
    await begin({ stream: null });
    held = new Promise(() => {});
    await pass(POLL_MS);
    stop();
    await expectStopped();
  });
});

describe('in a hidden tab', () => {
  const expectIdle = async () => {
    const before = [loads.length, streams.length];
    await pass(10 * POLL_MS);
    expect([loads.length, streams.length]).toEqual(before);
    expect(streams.map(({ closed }) => closed)).not.toContain(false);
    expect(vi.getTimerCount()).toBe(0);
  };

  test('the stream is closed, and continues from its last change once the tab is shown', async () => {
    await begin();
    connected();
    event('7', [row('b')]);
    await setHidden(true);
    await expectIdle();
    await setHidden(false);
    expect(streams.map(({ lastEventId }) => lastEventId)).toEqual(['cursor', '7']);
    expect(loads).toHaveLength(1);
    connected();
    event('8', [row('c')]);
    expect(texts()).toEqual(['a:', 'b:', 'c:']);
    expect(store.connection).toEqual({ state: 'live' });
    await pass(5 * POLL_MS);
    expect(loads).toHaveLength(1);
  });

  test('that was opened in the background, nothing is asked for before it is shown', async () => {
    Object.assign(document, { hidden: true });
    await begin();
    await expectIdle();
    expect(loads).toEqual([]);
    await setHidden(false);
    expect(texts()).toEqual(['a:']);
    expect(streams.map(({ lastEventId }) => lastEventId)).toEqual(['cursor']);
  });

  test('the first answer is given up, and asked for again', async () => {
    held = new Promise(() => {});
    await begin();
    await setHidden(true);
    expect(loads.map(({ signal }) => signal.aborted)).toEqual([true]);
    await expectIdle();
    held = undefined;
    await setHidden(false);
    expect(texts()).toEqual(['a:']);
    expect(streams.map(({ lastEventId }) => lastEventId)).toEqual(['cursor']);
  });

  test('neither a retry nor a poll runs, and both do once it is shown', async () => {
    await begin();
    stream().onError();
    await setHidden(true);
    await expectIdle();
    await setHidden(false);
    expect(streams).toHaveLength(2);
    await pass(POLL_MS);
    expect(loads).toHaveLength(2);
  });

  test('nothing says that the data are old unless the stream stays away once it is shown', async () => {
    await begin();
    connected();
    await setHidden(true);
    await pass(3000);
    await setHidden(false);
    await pass(999);
    expect(store.connection).toEqual({ state: 'live' });
    await pass(1);
    expect(store.connection).toEqual({ state: 'stale', asOf: START });
    connected();
    expect(store.connection).toEqual({ state: 'live' });
  });

  test('a browser without event streams stops polling, and polls at once when it is shown', async () => {
    await begin({ stream: null });
    await setHidden(true);
    await expectIdle();
    await setHidden(false);
    expect(loads).toHaveLength(2);
  });

  test('a page that was left begins nothing when the tab is shown', async () => {
    await begin();
    await setHidden(true);
    stop();
    await setHidden(false);
    expect([loads.length, streams.length]).toEqual([1, 1]);
  });
});
