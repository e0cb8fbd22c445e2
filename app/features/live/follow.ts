import { anySignal } from '#app/lib/any-signal.ts';
import { SERVICE_BACK } from '#app/lib/service-away.ts';
import { whileVisible } from '#app/lib/while-visible.ts';
import type { LiveChange, LiveStore } from './live-store.ts';

interface StreamEvents<Head, Row> {
  onData(event: { id: string; data: LiveChange<Head, Row> }): void;
  onConnectionStateChange(change: { state: 'idle' | 'connecting' | 'pending' }): void;
  onError(): void;
  onComplete(): void;
}

/** Where the rows of a list come from. */
export interface LiveSource<Head, Row> {
  /** Asks for all rows: one answer, compressed and shared between clients. */
  load(signal: AbortSignal): Promise<Response>;
  read(body: unknown): { head: Head; rows: Row[] };
  /** Opens the event stream of changes; null where there is none. */
  stream:
    | ((from: { lastEventId: string }, events: StreamEvents<Head, Row>) => { unsubscribe(): void })
    | null;
}

/** How often all rows are polled while there is no stream (ms). */
const POLL_MS = 10_000;
/** An answer that takes longer counts as none (ms). */
const LOAD_TIMEOUT_MS = 20_000;
/** Delays before the stream is reopened after EventSource gave up (ms). */
const RETRY_MS = [500, 1000, 2000, 5000, 10_000];
/** A page that is visible again counts as live this much longer, until its stream is open (ms). */
const RETURN_MS = 1000;

/**
 * Keeps the store in sync with the server while the page is visible, until the returned function is called.
 *
 * All rows come from one response. The event stream then continues from `cursor`, a position taken before that
 * response was made, so no change is lost in between.
 * EventSource reconnects automatically and sends its position. It gives up on a status other than 200, and
 * when a stopping server ends the stream: then we reopen it. Without a stream all rows are polled.
 * A hidden page has neither. When it is visible again, the stream continues from the position of its last change.
 */
export function follow<Head extends { updatedAt: string }, Row extends { id: string }>(
  store: LiveStore<Head, Row>,
  source: LiveSource<Head, Row>,
  cursor: string,
): () => void {
  let lastEventId = cursor;
  let etag: string | null = null;
  /** When the store was last known to be in sync (ms, by the server's clock). */
  let syncedAt = Date.parse(store.head.updatedAt);
  /** All rows have been asked for, and answered or not. */
  let asked = false;
  let received = 0;

  return whileVisible(() => {
    const stopping = new AbortController();
    let live = false;
    let failures = 0;
    let subscription: { unsubscribe(): void } | undefined;
    let returnTimer: ReturnType<typeof setTimeout> | undefined;
    let retryTimer: ReturnType<typeof setTimeout> | undefined;
    /** Opens the stream again, while that waits. */
    let reopen: (() => void) | undefined;
    let pollTimer: ReturnType<typeof setTimeout> | undefined;

    function connected(): void {
      live = true;
      clearTimeout(returnTimer);
      clearTimeout(pollTimer);
      pollTimer = undefined;
      store.setConnection({ state: 'live' });
    }

    function lost(): void {
      live = false;
      clearTimeout(returnTimer);
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
        const signal = anySignal(stopping.signal, AbortSignal.timeout(LOAD_TIMEOUT_MS));
        const response = await source.load(signal);
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

    /** Doesn't wait any longer before it opens the stream again. */
    function openNow(): void {
      clearTimeout(retryTimer);
      reopen?.();
    }

    function open(stream: NonNullable<typeof source.stream>): void {
      reopen = undefined;
      const closed = () => {
        if (stopping.signal.aborted) return;
        lost();
        const wait = RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] as number;
        // Spread out, so that pages don't all reconnect at once when a server comes back.
        reopen = () => open(stream);
        retryTimer = setTimeout(reopen, wait * (0.75 + Math.random() / 2));
      };
      subscription = stream(
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
      const { stream } = source;
      if (!stream) return poll();
      pollLater();
      if (asked) returnTimer = setTimeout(lost, RETURN_MS);
      else {
        const loaded = await load();
        if (stopping.signal.aborted) return;
        asked = true;
        // Changes need a list to apply to. Without one, the stream starts with a snapshot.
        if (!loaded) lastEventId = '';
      }
      open(stream);
    }
    void start();
    window.addEventListener(SERVICE_BACK, openNow, { signal: stopping.signal });

    return () => {
      stopping.abort();
      subscription?.unsubscribe();
      clearTimeout(returnTimer);
      clearTimeout(retryTimer);
      clearTimeout(pollTimer);
    };
  });
}
