import type { ServerResponse } from 'node:http';
import type { EventFrame } from '#server/live/index.ts';
import { STREAM_CLIENT, STREAM_PING_MS } from './init.ts';

/** A client that has read nothing of what waits for it for this long is dropped, milliseconds. It can resume. */
const SLOW_MS = 30_000;

/** The events by which tRPC's clients know that a stream is open, alive, or over. */
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
  slowMs = SLOW_MS,
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
      if (response.writableNeedDrain && !(await drained(response, slowMs))) return;
    }
    response.end(RETURN);
  } finally {
    clearInterval(ping);
    if (!response.writableEnded) response.destroy();
  }
}

/** Resolves once the client has read everything; with false if it leaves, or reads nothing at all for some time. */
const drained = (response: ServerResponse, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const { socket } = response;
    const end = (read: boolean) => {
      socket?.setTimeout(0).off('timeout', leave);
      response.off('drain', goOn).off('close', leave);
      resolve(read);
    };
    const goOn = () => end(true);
    const leave = () => end(false);
    response.once('drain', goOn).once('close', leave);
    // Not a timer of our own: the socket knows whether a large write makes progress.
    socket?.setTimeout(ms).once('timeout', leave);
  });
