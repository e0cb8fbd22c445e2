import type { Stream } from '@libp2p/interface';
import { lpStream } from '@libp2p/utils';
import type { z } from 'zod';
import { LIMITS } from '../base/limits.ts';

/** Thrown for what no correct program sends: the peer that sent it is to blame. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** The most digits of a length, in base 128: enough for 256 MiB, far above every limit. */
const LENGTH_DIGITS = 4;

/** So many bytes, or more, may wait to be read: a stream does not end because this process is busy for a moment. */
const BUFFERED_MIN = 512 * 1024;

/** How long closing a stream may take, milliseconds. */
const CLOSING_MS = 1000;

/**
 * The length before a message.
 * @throws RangeError if it is not whole yet: libp2p then waits for more digits; MalformedError if it has too many
 */
function lengthDecoder(digits: { byteLength: number; subarray: () => Uint8Array }): number {
  let length = 0;
  for (const [place, digit] of digits.subarray().entries()) {
    length += (digit & 0x7f) * 2 ** (7 * place);
    if (digit < 0x80) return length;
  }
  if (digits.byteLength >= LENGTH_DIGITS) throw new MalformedError('a length without end');
  throw new RangeError('a length that goes on');
}

/** @throws MalformedError if it is no message of that schema */
export function parseMessage<T extends z.ZodType>(bytes: Uint8Array, schema: T): z.infer<T> {
  let content: unknown;
  try {
    content = JSON.parse(utf8.decode(bytes));
  } catch {
    throw new MalformedError('not JSON');
  }
  const result = schema.safeParse(content);
  if (result.success) return result.data;
  throw new MalformedError(`not a message: ${result.error.issues[0]?.path.join('.') || 'shape'}`);
}

/** Messages on one stream, each with its length before it: bounded in size and in waiting, checked before use. */
export class Channel {
  readonly #messages;
  readonly #ended = new AbortController();

  /**
   * @param maxBytes of a message that is sent
   * @param maxReceived bytes of one that is received
   */
  constructor(
    private readonly stream: Stream,
    maxBytes: number,
    maxReceived = maxBytes,
  ) {
    if (stream.status === 'open') stream.addEventListener('close', () => this.#ended.abort());
    else this.#ended.abort();
    // The stream ends once too much waits for a peer that never reads, or to be read here.
    const buffered = Math.max(2 * maxReceived, Math.min(8 * maxReceived, BUFFERED_MIN));
    stream.maxReadBufferLength = buffered;
    stream.maxWriteBufferLength = 4 * maxBytes;
    this.#messages = lpStream(stream, {
      maxDataLength: maxReceived,
      lengthDecoder,
      maxBufferSize: buffered,
    });
  }

  /** Aborted when the stream has ended, by whomever, or its connection: there is nobody left to answer. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Resolves when the next one can be sent. @throws when the stream has ended, or the peer does not read */
  send(message: object): Promise<void> {
    return this.sendBytes(Buffer.from(JSON.stringify(message)));
  }

  async sendBytes(bytes: Uint8Array, timeoutMs: number = LIMITS.sendMs): Promise<void> {
    await this.#messages.write(bytes, { signal: AbortSignal.timeout(timeoutMs) });
  }

  /** @throws MalformedError; or what ended the stream or the waiting */
  async receive<T extends z.ZodType>(schema: T, signal: AbortSignal): Promise<z.infer<T>> {
    return parseMessage(await this.receiveBytes(signal), schema);
  }

  /**
   * @param memory where the message is put, if it is not to have memory of its own; as long as it may be
   * @throws MalformedError if it is too long; or what ended the stream or the waiting
   */
  async receiveBytes(signal: AbortSignal, memory?: Uint8Array): Promise<Uint8Array> {
    try {
      const message = await this.#messages.read({ signal });
      if (!memory) return message.subarray();
      let end = 0;
      for (const part of message) {
        memory.set(part, end);
        end += part.byteLength;
      }
      return memory.subarray(0, end);
    } catch (error) {
      if (error instanceof Error && /^Invalid(DataLength|MessageLength)/.test(error.name))
        throw new MalformedError(error.message);
      throw error;
    }
  }

  /** Closes the stream after everything that was sent. */
  async close(): Promise<void> {
    await this.stream
      .close({ signal: AbortSignal.timeout(CLOSING_MS) })
      .catch((error: unknown) => this.stream.abort(error as Error));
  }

  abort(reason: string): void {
    this.stream.abort(new Error(reason));
  }
}
