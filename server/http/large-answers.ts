import { ServerResponse } from 'node:http';

/** Larger answers are counted while they are unread, and cost their reader a look-up, bytes. */
export const LARGE_BYTES = 64 * 1024;

/** What is written at a time of a large answer, bytes. The next slice follows when the client's side has taken this one. */
const SLICE_BYTES = 256 * 1024;

/** Of all large answers that are unread, each counted once however many read it, bytes. Two of any size always fit. */
const UNREAD_BYTES = 32 * 1024 * 1024;

/** A client that is sent a large answer. */
interface Reader {
  response: ServerResponse;
  /** What keeps the answer in memory: the same for all who are sent the same bytes. */
  memory: ArrayBufferLike;
  release: () => void;
}

/**
 * The large answers that clients have not read yet. Everybody who asks gets the same bytes, but a list that changes has
 * others each second, and a client that doesn't read keeps its own in memory. So they have a bound: above it the client that
 * has taken nothing for longest is dropped, and the next one, until the rest is below it.
 */
export class LargeAnswers {
  /** Whoever has taken nothing for longest is first. */
  readonly #readers = new Set<Reader>();
  /** How many are sent each. */
  readonly #memory = new Map<ArrayBufferLike, number>();
  #bytes = 0;

  constructor(private readonly maxBytes = UNREAD_BYTES) {}

  /** The memory that unread answers keep, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts bytes as unread until they are released, or the connection has closed. */
  hold(response: ServerResponse, { buffer }: Uint8Array): Reader {
    const { socket } = response.req;
    const reader = { response, memory: buffer, release: () => this.#release(reader) };
    const readers = this.#memory.get(buffer) ?? 0;
    if (readers === 0) this.#bytes += buffer.byteLength;
    this.#memory.set(buffer, readers + 1);
    this.#readers.add(reader);
    // Of the socket: a response that waits behind another one of its connection gets no `close` itself.
    socket.once('close', reader.release);
    for (const slowest of this.#readers) {
      if (this.#bytes <= this.maxBytes || this.#memory.size <= 2) break;
      slowest.release();
      slowest.response.req.socket.destroy();
    }
    return reader;
  }

  /** The client has taken some of it. */
  taken(reader: Reader): void {
    if (this.#readers.delete(reader)) this.#readers.add(reader);
  }

  #release(reader: Reader): void {
    if (!this.#readers.delete(reader)) return;
    const { response, memory, release } = reader;
    response.req.socket.off('close', release);
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
        ? super.write(chunk, answers.hold(this, chunk).release)
        : super.write(...(sent as Parameters<ServerResponse['write']>));
    }

    override end(...sent: unknown[]): this {
      const [body] = sent;
      if (!isLarge(body) || this.req.method === 'HEAD')
        return super.end(...(sent as Parameters<ServerResponse['end']>));
      const reader = answers.hold(this, body);
      const sendFrom = (start: number): void => {
        const next = start + SLICE_BYTES;
        if (next >= body.length) super.end(body.subarray(start), reader.release);
        else
          super.write(body.subarray(start, next), (error) => {
            if (error) return;
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
