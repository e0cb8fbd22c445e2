import type { Compute, Computes, ComputesHead } from '#server/computes/computes.schema.ts';
import type { Mesh, MeshHead, Peer } from '#server/mesh/mesh.schema.ts';
import type { ComputesStore, LiveChange, LiveStore, MeshStore } from './live-store.ts';
import { trpc } from '#app/lib/trpc.client.ts';

interface StreamEvents<Head, Row> {
  onData(event: { id: string; data: LiveChange<Head, Row> }): void;
  onConnectionStateChange(change: { state: 'idle' | 'connecting' | 'pending' }): void;
  onError(): void;
  onComplete(): void;
}

/** Where a list comes from. */
interface LiveSource<Head, Row> {
  /** The whole of it. */
  path: string;
  read(body: unknown): { head: Head; rows: Row[] };
  /** Its changes. */
  stream(from: { lastEventId: string }, events: StreamEvents<Head, Row>): { unsubscribe(): void };
}

const meshSource: LiveSource<MeshHead, Peer> = {
  path: '/api/mesh',
  read(body) {
    const { peers, recentPings: _, ...head } = body as Mesh;
    return { head, rows: peers };
  },
  stream: (from, events) => trpc.mesh.changes.subscribe(from, events),
};

const computesSource: LiveSource<ComputesHead, Compute> = {
  path: '/api/registry/computes',
  read(body) {
    const { computes, ...head } = body as Computes;
    return { head, rows: computes };
  },
  stream: (from, events) => trpc.computes.changes.subscribe(from, events),
};

/** Without the stream everything is asked for again this often (ms). */
const POLL_MS = 10_000;
/** An answer that takes longer than this counts as none (ms). */
const FETCH_LIMIT_MS = 20_000;
/** Waits before the stream is opened again where EventSource itself gave up (ms). */
const RETRY_MS = [500, 1000, 2000, 5000, 10_000];

export const followMesh = (store: MeshStore, cursor: string) => follow(store, meshSource, cursor);
export const followComputes = (store: ComputesStore, cursor: string) =>
  follow(store, computesSource, cursor);

/**
 * Keeps the store level with the server until the returned function is called.
 *
 * All rows come from the REST answer, which is compressed and shared between clients; then the event
 * stream goes on from `cursor`, a position that was taken before that answer was made: so nothing that
 * happens in between is lost. EventSource reconnects by itself and says where it was. It gives up on a
 * status other than 200, and a server that stops ends the stream in good order: then we open it again.
 * Whenever the stream has been away for a while, whatever the reason, the REST answer is polled.
 */
function follow<Head extends { updatedAt: string }, Row extends { id: string }>(
  store: LiveStore<Head, Row>,
  source: LiveSource<Head, Row>,
  cursor: string,
): () => void {
  const stopping = new AbortController();
  let lastEventId = cursor;
  let etag: string | null = null;
  let live = false;
  /** The last moment at which the store was known to be level (ms, by the server's clock). */
  let levelAt = Date.parse(store.head.updatedAt);
  let failures = 0;
  let received = 0;
  let subscription: { unsubscribe(): void } | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let pollTimer: ReturnType<typeof setTimeout> | undefined;

  function connected(): void {
    live = true;
    clearTimeout(pollTimer);
    pollTimer = undefined;
    store.setConnection({ state: 'live' });
  }

  function lost(): void {
    live = false;
    if (store.connection.state !== 'polling')
      store.setConnection({ state: 'stale', asOf: levelAt });
    pollLater();
  }

  function pollLater(): void {
    pollTimer ??= setTimeout(() => {
      pollTimer = undefined;
      void poll();
    }, POLL_MS);
  }

  async function poll(): Promise<void> {
    const loaded = await load();
    if (stopping.signal.aborted || live) return;
    store.setConnection(loaded ? { state: 'polling' } : { state: 'stale', asOf: levelAt });
    pollLater();
  }

  /** The browser's own cache sends the ETag; an answer that we hold already is not parsed again. */
  async function load(): Promise<boolean> {
    const before = received;
    try {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(FETCH_LIMIT_MS)]);
      const response = await fetch(source.path, { signal });
      if (!response.ok) return false;
      const tag = response.headers.get('etag');
      if (tag === null || tag !== etag) {
        const whole = source.read(await response.json());
        // The stream came back meanwhile: what it brought is newer.
        if (received !== before || stopping.signal.aborted) return true;
        store.apply({ type: 'snapshot', ...whole, removed: [] });
        etag = tag;
      }
      levelAt = store.clock.now();
      return true;
    } catch {
      return false;
    }
  }

  function open(): void {
    const closed = () => {
      if (stopping.signal.aborted) return;
      lost();
      const wait = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] as number;
      // Not all pages at the same moment when a server comes back.
      retryTimer = setTimeout(open, wait * (0.75 + Math.random() / 2));
    };
    subscription = source.stream(
      { lastEventId },
      {
        onData({ id, data }) {
          lastEventId = id;
          received++;
          failures = 0;
          etag = null;
          store.apply(data);
          levelAt = store.clock.now();
        },
        onConnectionStateChange({ state }) {
          if (state === 'pending') connected();
          else if (state === 'connecting' && live) lost();
        },
        onError: closed,
        onComplete: closed,
      },
    );
  }

  async function start(): Promise<void> {
    if (typeof EventSource === 'undefined') return poll();
    pollLater();
    // Without the whole list the changes would be changes of nothing: then the stream begins with a snapshot.
    if (!(await load())) lastEventId = '';
    if (!stopping.signal.aborted) open();
  }
  void start();

  return () => {
    stopping.abort();
    subscription?.unsubscribe();
    clearTimeout(retryTimer);
    clearTimeout(pollTimer);
  };
}
