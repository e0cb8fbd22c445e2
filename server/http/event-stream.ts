import type { ServerResponse } from 'node:http';
import type { EventFrame } from '#server/live/index.ts';
import { STREAM_CLIENT, STREAM_PING_MS } from '#server/trpc/init.ts';

/** A client that has not read what was sent to it after this long is dropped, milliseconds. It can resume. */
const SLOW_MS = 30_000;

/** As tRPC's clients know them. */
const CONNECTED = `event: connected\ndata: ${JSON.stringify(STREAM_CLIENT)}\n\n`;
const PING = 'event: ping\ndata: \n\n';
const RETURN = 'event: return\ndata: \n\n';

/**
 * Writes an event stream to the socket itself: the bytes of an event are shared by all streams, and none of the
 * objects of a web stream are made for each of them. While a client reads slowly, what changes is collected into one
 * later event, because the next one is not asked for.
 * @param open gets a signal that aborts when the client has gone
 */
export async function sendEvents(
  response: ServerResponse,
  headers: Record<string, string>,
  open: (signal: AbortSignal) => AsyncIterable<EventFrame<unknown, unknown>>,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  response.write(CONNECTED);
  const ping = setInterval(() => response.write(PING), STREAM_PING_MS);
  try {
    for await (const { event } of open(gone.signal)) {
      for (const chunk of event) response.write(chunk);
      ping.refresh();
      if (response.writableNeedDrain && !(await drained(response))) return;
    }
    response.end(RETURN);
  } finally {
    clearInterval(ping);
    if (!response.writableEnded) response.destroy();
  }
}

/** Whether the client has read everything in time. */
const drained = (response: ServerResponse): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (read: boolean) => {
      clearTimeout(timer);
      response.off('drain', onDrain).off('close', onClose);
      resolve(read);
    };
    const onDrain = () => end(true);
    const onClose = () => end(false);
    const timer = setTimeout(onClose, SLOW_MS);
    response.once('drain', onDrain).once('close', onClose);
  });
