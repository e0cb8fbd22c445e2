import * as hrefs from '#app/lib/hrefs.ts';
import { SERVICE_BACK } from '#app/lib/service-away.ts';

interface Listener<Details> {
  changed: (details: Details) => void;
  connected: () => void;
  lost: () => void;
}

/** The server gives a sign of life every 15 s: after so long without one the connection is dead (ms). */
const SILENCE_MS = 40_000;
/** The wait before the stream is opened again, once EventSource gave up (ms). */
const RETRY_MS = 5000;

/** What a page follows. */
export interface Followed {
  /** The subscription, such as `mesh.nodeChanges`. */
  procedure: string;
  /** What says which one it is. */
  subject: Record<string, string>;
  /** The tag of what is known already. */
  tag: string;
}

/**
 * Follows one thing while the page is visible: a browser opens six connections to a host, and hidden tabs must not hold
 * them. It goes on from the last tag, so that a visitor who returns gets an event only if something has changed.
 * @returns ends it
 */
export function followOne<Details>(
  { procedure, subject, ...from }: Followed,
  listener: Listener<Details>,
): () => void {
  let { tag } = from;
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    source?.close();
    source = undefined;
    clearTimeout(retry);
    clearTimeout(silence);
  };
  const reopen = (ms: number) => {
    close();
    listener.lost();
    // Spread out, so that pages don't all come back at once.
    retry = setTimeout(open, ms * (0.75 + Math.random() / 2));
  };
  const alive = () => {
    clearTimeout(silence);
    silence = setTimeout(() => reopen(0), SILENCE_MS);
  };
  function open(): void {
    close();
    if (document.hidden || typeof EventSource === 'undefined') return;
    const input = encodeURIComponent(JSON.stringify({ ...subject, lastEventId: tag }));
    source = new EventSource(`${hrefs.api.trpc(procedure)}?input=${input}`);
    source.addEventListener('connected', () => {
      alive();
      listener.connected();
    });
    source.addEventListener('ping', alive);
    source.addEventListener('message', ({ data, lastEventId }: MessageEvent<string>) => {
      alive();
      tag = lastEventId;
      listener.changed(JSON.parse(data) as Details);
    });
    // A stopping server ends the stream; whatever else ends it, it is opened again.
    source.addEventListener('return', () => reopen(RETRY_MS / 10));
    source.addEventListener('error', () => reopen(RETRY_MS));
  }
  open();
  const seen = () => (document.hidden ? close() : open());
  document.addEventListener('visibilitychange', seen);
  window.addEventListener('online', open);
  window.addEventListener(SERVICE_BACK, open);
  return () => {
    close();
    document.removeEventListener('visibilitychange', seen);
    window.removeEventListener('online', open);
    window.removeEventListener(SERVICE_BACK, open);
  };
}
