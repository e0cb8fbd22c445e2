import type { Compute, Computes, ComputesHead } from '#server/computes/computes.schema.ts';
import type { Places, PlacesHead } from '#server/mesh/mesh.schema.ts';
import { readColumns } from '#server/mesh/place-columns.schema.ts';
import { readPlace, type Place } from '#server/mesh/places.schema.ts';
import type { ComputesStore, LiveChange, LiveStore, MeshStore } from './live-store.ts';
import { trpc } from '#app/lib/trpc.client.ts';

interface StreamEvents<Head, Row> {
  onData(event: { id: string; data: LiveChange<Head, Row> }): void;
  onConnectionStateChange(change: { state: 'idle' | 'connecting' | 'pending' }): void;
  onError(): void;
  onComplete(): void;
}

/** Where the rows of a list come from. */
interface LiveSource<Head, Row> {
  /** The path that returns all rows, compressed and shared between clients. */
  path: string;
  read(body: unknown): { head: Head; rows: Row[] };
  /** The event stream of changes. */
  stream(from: { lastEventId: string }, events: StreamEvents<Head, Row>): { unsubscribe(): void };
}

const meshSource: LiveSource<PlacesHead, Place> = {
  path: '/api/trpc/mesh.places',
  read(body) {
    const { places, ...head } = (body as { result: { data: Places } }).result.data;
    return { head, rows: readColumns(places) };
  },
  stream: (from, events) =>
    trpc.mesh.placeChanges.subscribe(from, {
      ...events,
      onData: ({ id, data }) =>
        events.onData({ id, data: { ...data, rows: data.rows.map(readPlace) } }),
    }),
};

const computesSource: LiveSource<ComputesHead, Compute> = {
  path: '/api/registry/computes',
  read(body) {
    const { computes, ...head } = body as Computes;
    return { head, rows: computes };
  },
  stream: (from, events) => trpc.computes.changes.subscribe(from, events),
};

/** How often all rows are polled while there is no stream (ms). */
const POLL_MS = 10_000;
const FETCH_TIMEOUT_MS = 20_000;
/** Delays before the stream is reopened after EventSource gave up (ms). */
const RETRY_MS = [500, 1000, 2000, 5000, 10_000];

export const followMesh = (store: MeshStore, cursor: string) => follow(store, meshSource, cursor);
export const followComputes = (store: ComputesStore, cursor: string) =>
  follow(store, computesSource, cursor);

/**
 * Keeps the store in sync with the server until the returned function is called.
 *
 * All rows come from one response. The event stream then
 * continues from `cursor`, a position taken before that response was made, so no change is lost in between.
 * EventSource reconnects automatically and sends its position. It gives up on a status other than 200, and
 * when a stopping server ends the stream: then we reopen it. Without a stream all rows are polled.
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
  /** When the store was last known to be in sync (ms, by the server's clock). */
  let syncedAt = Date.parse(store.head.updatedAt);
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
      store.setConnection({ state: 'stale', asOf: syncedAt });
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
    store.setConnection(loaded ? { state: 'polling' } : { state: 'stale', asOf: syncedAt });
    pollLater();
  }

  /** The browser's cache sends the ETag. A response that the store already has is not parsed again. */
  async function load(): Promise<boolean> {
    const before = received;
    try {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
      const response = await fetch(source.path, { signal });
      if (!response.ok) return false;
      const tag = response.headers.get('etag');
      if (tag === null || tag !== etag) {
        const whole = source.read(await response.json());
        // The stream has delivered changes meanwhile, which are newer.
        if (received !== before || stopping.signal.aborted) return true;
        store.apply({ type: 'snapshot', ...whole, removed: [] });
        etag = tag;
      }
      syncedAt = store.clock.now();
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
      // Spread out, so that pages don't all reconnect at once when a server comes back.
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
          syncedAt = store.clock.now();
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
    // Changes need a list to apply to. Without one, the stream starts with a snapshot.
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
