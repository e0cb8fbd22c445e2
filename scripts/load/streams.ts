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

/** Viewers of an event stream. */
export class Viewers {
  /** To the end of the first list. */
  readonly #latenciesUs = build();
  readonly #sockets = new Set<Socket>();
  readonly #count = { open: 0, lost: 0, refused: 0 };
  #lists = 0;
  #bytes = 0;
  #cpu = process.cpuUsage();
  #openedAt = performance.now();
  #closed = false;

  constructor(private readonly options: StreamOptions) {}

  async open(): Promise<void> {
    const { connections, reopen } = this.options;
    if (reopen) for (let n = 0; n < connections; n++) void this.#reopen();
    else {
      let left = connections;
      const some = async () => {
        while (left-- > 0) await this.#view();
      };
      await Promise.all(Array.from({ length: OPENING }, some));
    }
    this.#bytes = 0;
    this.#openedAt = performance.now();
    this.#cpu = process.cpuUsage();
  }

  close(): StreamResult {
    const seconds = (performance.now() - this.#openedAt) / 1000;
    const { user, system } = process.cpuUsage(this.#cpu);
    const result = {
      ...this.#count,
      perSecond: this.#lists / seconds,
      megabytesPerSecond: this.#bytes / 1e6 / seconds,
      p50: this.#latenciesUs.getValueAtPercentile(50) / 1000,
      p99: this.#latenciesUs.getValueAtPercentile(99) / 1000,
      busy: (user + system) / 1e6 / seconds,
    };
    this.#closed = true;
    for (const socket of this.#sockets) socket.destroy();
    return result;
  }

  async #reopen(): Promise<void> {
    while (!this.#closed) {
      await this.#view();
      if (this.#count.refused > 0) await sleep(PAUSE_MS);
    }
  }

  /** Resolves with the end of the first list, or of a connection without one. */
  #view(): Promise<void> {
    const { url, reopen } = this.options;
    const { host, pathname } = new URL(url);
    const count = this.#count;
    return new Promise((resolve) => {
      const startedAt = performance.now();
      let received = 0;
      let complete = false;
      const read = (data: Buffer) => {
        this.#bytes += data.length;
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
        this.#lists++;
        this.#latenciesUs.recordValue(Math.round((performance.now() - startedAt) * 1000));
        if (reopen) socket.destroy();
        else resolve();
      };
      const socket = openSocket(url, read);
      this.#sockets.add(socket);
      socket.on('connect', () =>
        socket.write(
          `GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n\r\n`,
        ),
      );
      socket.on('close', () => {
        this.#sockets.delete(socket);
        if (complete) count.open--;
        if (!reopen || !complete) count.lost++;
        resolve();
      });
    });
  }
}
