import { yamux, type YamuxMuxerInit } from '@libp2p/yamux';
import type {
  MessageStream,
  MultiaddrConnection,
  StreamMuxer,
  StreamMuxerFactory,
} from '@libp2p/interface';
import { hostOf } from '../addresses/address-group.ts';
import { putNewest } from '../base/collections.ts';
import { LIMITS } from '../base/limits.ts';
import { TokenBucket } from '../base/token-bucket.ts';
import type { Backlog } from './backlog.ts';
import type { Budget } from './budgets.ts';

/**
 * Bounds that libp2p does not have. Its negotiations answer whatever comes until they time out: thousands of lines, in
 * which nobody else gets a turn. Yamux keeps a frame of up to 4 GiB until it is whole, and all that a peer does not read.
 * A peer that goes beyond a bound loses the connection.
 */

/** Bytes of a Yamux frame's header: version, type, flags, stream and length. */
const HEADER_BYTES = 12;
const TYPE_DATA = 0;
const FLAG_SYN = 1;

/** The share of its small frames that a connection has left while it is quiet. */
const QUIET = 0.8;

/** How many streams whose protocol is not settled are remembered: more than can begin at once. */
const UNSETTLED_MAX = 1024;

/** The event with which libp2p passes on every part that has come. */
interface Received {
  data: { byteLength: number; subarray: (from: number, to: number) => Uint8Array };
}

/**
 * Counts what comes until the connection is encrypted and multiplexed: lines of a negotiation and three messages of Noise.
 * @returns to be called when that has succeeded
 */
export function guardUpgrade(connection: MessageStream): () => void {
  let left = LIMITS.upgradeBytes;
  const count = ({ data }: Received) => {
    left -= data.byteLength;
    if (left < 0) connection.abort(new Error('too long a negotiation'));
  };
  connection.addEventListener('message', count);
  return () => connection.removeEventListener('message', count);
}

interface YamuxGuards {
  /** What the peers at an address may do together. */
  budgetOf: (address: string) => Budget;
  backlog: Backlog;
}

/** Yamux, with {@link FrameGuard}. */
export const guardedYamux =
  (init: YamuxMuxerInit, { budgetOf, backlog }: YamuxGuards): (() => StreamMuxerFactory) =>
  () => {
    const factory = yamux(init)() as StreamMuxerFactory;
    return {
      protocol: factory.protocol,
      createStreamMuxer(connection) {
        // An encrypted connection does not tell its address, but has the TCP connection that carries it.
        const { stream: carrier } = connection as { stream?: MultiaddrConnection };
        const address = carrier?.remoteAddr.toString() ?? '';
        connection.maxWriteBufferLength = LIMITS.backlogBytes;
        // Its listener comes first, so it sees each frame before the muxer.
        const guard = new FrameGuard(connection, budgetOf(address));
        // Yamux sends frames of its own accord, where nobody would catch that the connection has ended meanwhile.
        const send = connection.send.bind(connection);
        connection.send = (data) => {
          guard.sent(data.byteLength);
          return connection.status === 'open' && send(data);
        };
        guard.muxer = factory.createStreamMuxer(connection);
        backlog.watch(hostOf(address), guard.muxer, [connection, ...(carrier ? [carrier] : [])]);
        return guard.muxer;
      },
    };
  };

/** Follows the frames of a connection, without keeping them. */
class FrameGuard {
  muxer: StreamMuxer | null = null;
  readonly #frames = new TokenBucket(LIMITS.framesPerSecond, LIMITS.framesBurst);
  readonly #small = new TokenBucket(LIMITS.smallFramesPerSecond, LIMITS.smallFramesBurst);
  readonly #streams = new TokenBucket(LIMITS.streamsPerSecond, LIMITS.streamsBurst);
  /** How many bytes have come on each stream whose protocol is not settled. */
  readonly #unsettled = new Map<number, number>();
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  /** Bytes that are still to come of the present frame's data. */
  #left = 0;

  constructor(
    connection: MessageStream,
    private readonly budget: Budget,
  ) {
    connection.addEventListener('message', ({ data }: Received) => {
      const fault = this.#take(data);
      if (fault !== null) connection.abort(new Error(fault));
    });
  }

  /** Bytes were sent to the peer, which has to acknowledge them. */
  sent(bytes: number): void {
    this.#small.give(bytes / LIMITS.bytesPerSmallFrame);
  }

  /** @returns what is wrong with what has come; null: nothing */
  #take(data: Received['data']): string | null {
    // Tiny parts cost as much as tiny frames.
    if (!this.#frames.take()) return 'too many parts';
    for (let at = 0; at < data.byteLength;) {
      if (this.#left > 0) {
        const skipped = Math.min(this.#left, data.byteLength - at);
        this.#left -= skipped;
        at += skipped;
        continue;
      }
      const wanted = at + HEADER_BYTES - this.#headerBytes;
      const part = data.subarray(at, Math.min(wanted, data.byteLength));
      this.#header.set(part, this.#headerBytes);
      this.#headerBytes += part.byteLength;
      at += part.byteLength;
      if (this.#headerBytes < HEADER_BYTES) continue;
      this.#headerBytes = 0;
      const fault = this.#judge();
      if (fault !== null) return fault;
    }
    return null;
  }

  /** The header of a frame is whole. */
  #judge(): string | null {
    const type = this.#header.readUInt8(1);
    const isNew = (this.#header.readUInt16BE(2) & FLAG_SYN) > 0;
    const stream = this.#header.readUInt32BE(4);
    if (!this.#frames.take()) return 'too many frames';
    if (isNew && stream > 0) {
      if (!this.#streams.take()) return 'too many streams';
      putNewest(this.#unsettled, stream, 0, UNSETTLED_MAX);
    }
    const length = type === TYPE_DATA ? this.#header.readUInt32BE(8) : 0;
    if (length < LIMITS.smallFrameBytes && !this.#takeSmall()) return 'too many small frames';
    if (type !== TYPE_DATA) return null;
    this.#left = length;
    if (this.#left > LIMITS.frameBytes) return 'too long a frame';
    return this.#isSettled(stream) ? null : 'too long a negotiation of a stream';
  }

  /** Whoever has sent hardly any may send one although its neighbours have used up what the host has. */
  #takeSmall(): boolean {
    const isQuiet = this.#small.has(QUIET * LIMITS.smallFramesBurst);
    const hasHost = this.budget.take('frames', 1);
    return this.#small.take() && (hasHost || isQuiet);
  }

  /** Whether the protocol of a stream is settled, or may be soon. */
  #isSettled(id: number): boolean {
    const open = this.muxer?.streams.find((stream) => stream.id === String(id));
    if (open ? open.protocol !== '' : !this.#unsettled.has(id)) {
      this.#unsettled.delete(id);
      return true;
    }
    const bytes = (this.#unsettled.get(id) ?? 0) + this.#left;
    this.#unsettled.set(id, bytes);
    return bytes <= LIMITS.settlingBytes;
  }
}
