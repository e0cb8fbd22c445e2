import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'hdr-histogram-js';
import { openSocket } from './connection.ts';
import type { StreamOptions, StreamResult } from './generator.ts';

/** What comes before the first list: the response's head and tRPC's own `connected` event. */
const BEFORE_LIST_BYTES = 2000;
/** So many open at the same time, so that the queue of new connections does not overflow. */
const OPENING = 20;
/** What is refused comes again, but not in a busy loop. */
const PAUSE_MS = 50;

/** Opens the streams of some viewers. @returns closes them, and says what they received */
export async function openStreams(options: StreamOptions): Promise<() => StreamResult> {
  const { url, connections, reopen } = options;
  const { host, pathname } = new URL(url);
  const head = `GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n\r\n`;
  const latenciesUs = build();
  const sockets = new Set<Socket>();
  const count = { open: 0, refused: 0, lists: 0, bytes: 0 };
  let closed = false;

  /** Resolves with the end of the first list, or of a connection without one. */
  const view = () =>
    new Promise<void>((resolve) => {
      const startedAt = performance.now();
      let received = 0;
      let complete = false;
      const socket = openSocket(url, (data) => {
        count.bytes += data.length;
        if (complete) return;
        if (received === 0 && data.toString('latin1', 9, 12) !== '200') {
          count.refused++;
          socket.destroy();
          return;
        }
        received += data.length;
        if (received < BEFORE_LIST_BYTES || !data.includes('\n\n')) return;
        complete = true;
        count.open++;
        count.lists++;
        latenciesUs.recordValue(Math.round((performance.now() - startedAt) * 1000));
        if (reopen) socket.destroy();
        else resolve();
      });
      sockets.add(socket);
      socket.on('connect', () => socket.write(head));
      socket.on('close', () => {
        sockets.delete(socket);
        if (complete) count.open--;
        resolve();
      });
    });
  const viewAgain = async () => {
    while (!closed) {
      await view();
      if (count.refused > 0) await sleep(PAUSE_MS);
    }
  };
  let left = connections;
  const openSome = async () => {
    while (left-- > 0) await view();
  };

  if (reopen) for (let n = 0; n < connections; n++) void viewAgain();
  else await Promise.all(Array.from({ length: OPENING }, openSome));
  count.bytes = 0;
  const openedAt = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const seconds = (performance.now() - openedAt) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    closed = true;
    const result = {
      open: count.open,
      refused: count.refused,
      perSecond: count.lists / seconds,
      megabytesPerSecond: count.bytes / 1e6 / seconds,
      p50: latenciesUs.getValueAtPercentile(50) / 1000,
      busy: (user + system) / 1e6 / seconds,
    };
    for (const socket of sockets) socket.destroy();
    return result;
  };
}
