import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '@mesh-registry/protocol/ip-network.ts';

/** Larger answers are counted while they are unread, and cost their reader a look-up, bytes. */
export const LARGE_BYTES = 64 * 1024;

/** What is written at a time of a large answer, bytes. The next slice follows when the client's side has taken this one. */
const SLICE_BYTES = 64 * 1024;

/** Of all large answers that are unread, each counted once however many read it, bytes. Two of any size always fit. */
const UNREAD_BYTES = 32 * 1024 * 1024;

/** A client that is sent a large answer. */
interface Reader {
  socket: Socket;
  /** What the client's connection comes from. */
  network: string;
  /** What keeps the answer in memory: the same for all who are sent the same bytes. */
  memory: ArrayBufferLike;
  release: () => void;
}

/**
 * The large answers that clients have not read yet. Everybody who asks gets the same bytes, but a list that changes has
 * others each second, and a client that doesn't read keeps its own in memory. So they have a bound: above it the client that
 * keeps most of them loses the one of which nothing has been taken for longest, and so on, until the rest is below it.
 */
export class LargeAnswers {
  /** Whoever has taken nothing for longest is first. */
  readonly #readers = new Set<Reader>();
  /** How many are sent each. */
  readonly #memory = new Map<ArrayBufferLike, number>();
  /** By the connection: requests that are sent one behind another have several. */
  readonly #ofSocket = new WeakMap<Socket, Set<Reader>>();
  #bytes = 0;

  constructor(private readonly maxBytes = UNREAD_BYTES) {}

  /** The memory that unread answers keep, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts bytes as unread until they are released, or the connection has closed. */
  hold(socket: Socket, { buffer }: Uint8Array): Reader {
    const network = networkOf(socket.remoteAddress ?? '');
    const reader = { socket, network, memory: buffer, release: () => this.#release(reader) };
    if (!socket.destroyed && !this.#memory.has(buffer)) this.#makeRoom(buffer.byteLength, network);
    // It says no more that it has closed.
    if (socket.destroyed) return reader;
    const readers = this.#memory.get(buffer) ?? 0;
    if (readers === 0) this.#bytes += buffer.byteLength;
    this.#memory.set(buffer, readers + 1);
    this.#readers.add(reader);
    this.#readersOf(socket).add(reader);
    return reader;
  }

  /** The client has taken some of it. */
  taken(reader: Reader): void {
    if (this.#readers.delete(reader)) this.#readers.add(reader);
  }

  #readersOf(socket: Socket): Set<Reader> {
    let readers = this.#ofSocket.get(socket);
    if (!readers) {
      const all = new Set<Reader>();
      // Of the socket: a response that waits behind another one of its connection gets no `close` itself.
      socket.once('close', () => all.forEach(({ release }) => release()));
      this.#ofSocket.set(socket, (readers = all));
    }
    return readers;
  }

  /** Drops readers until there is room for more bytes, which are for this network. */
  #makeRoom(bytes: number, forNetwork: string): void {
    const isFull = () => this.#bytes + bytes > this.maxBytes && this.#memory.size > 1;
    while (isFull()) {
      const greediest = this.#greediest(bytes, forNetwork);
      for (const { network, socket, release } of this.#readers) {
        if (network !== greediest) continue;
        release();
        socket.destroy();
        if (!isFull()) break;
      }
    }
  }

  /** The network that keeps most bytes in memory, with more for one of them. What several are sent counts for each. */
  #greediest(more: number, forNetwork: string): string | undefined {
    const kept = new Map<string, Set<ArrayBufferLike>>();
    for (const { network, memory } of this.#readers) {
      const ofNetwork = kept.get(network);
      if (ofNetwork) ofNetwork.add(memory);
      else kept.set(network, new Set([memory]));
    }
    let most = -1;
    let greediest: string | undefined;
    for (const [network, ofNetwork] of kept) {
      let bytes = network === forNetwork ? more : 0;
      for (const { byteLength } of ofNetwork) bytes += byteLength;
      if (bytes > most) [most, greediest] = [bytes, network];
    }
    return greediest;
  }

  #release(reader: Reader): void {
    if (!this.#readers.delete(reader)) return;
    const { socket, memory } = reader;
    this.#ofSocket.get(socket)?.delete(reader);
    const readers = (this.#memory.get(memory) ?? 1) - 1;
    if (readers > 0) this.#memory.set(memory, readers);
    else {
      this.#memory.delete(memory);
      this.#bytes -= memory.byteLength;
    }
  }
}

/** Makes the class of the server's responses: it sends a large answer in slices of the bytes that all its readers share. */
export const largeResponse = (answers: LargeAnswers) =>
  class extends ServerResponse {
    override write(...sent: unknown[]): boolean {
      const [chunk] = sent;
      return isLarge(chunk) && this.req.method !== 'HEAD'
        ? super.write(chunk, answers.hold(this.req.socket, chunk).release)
        : super.write(...(sent as Parameters<ServerResponse['write']>));
    }

    override end(...sent: unknown[]): this {
      const [body] = sent;
      if (!isLarge(body) || this.req.method === 'HEAD')
        return super.end(...(sent as Parameters<ServerResponse['end']>));
      const reader = answers.hold(this.req.socket, body);
      const sendFrom = (start: number): void => {
        const next = start + SLICE_BYTES;
        if (next >= body.length) super.end(body.subarray(start), reader.release);
        else
          super.write(body.subarray(start, next), (error) => {
            if (error) return reader.release();
            answers.taken(reader);
            sendFrom(next);
          });
      };
      sendFrom(0);
      return this;
    }
  };

const isLarge = (sent: unknown): sent is Uint8Array =>
  sent instanceof Uint8Array && sent.length > LARGE_BYTES;
