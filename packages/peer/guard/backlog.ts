import type { MessageStream, StreamMuxer } from '@libp2p/interface';

/** What waits to be read by the peer at the other end of a connection. */
interface Queue {
  host: string;
  bytes: () => number;
  abort: (error: Error) => void;
}

/**
 * A bound of what waits for all peers together. Beyond it the host for which most waits loses a connection, the one with
 * the most: each alone may be within its own bound, and hundreds that never read would take all memory.
 */
export class Backlog {
  readonly #queues = new Set<Queue>();
  /** As many bytes as there may be: those of the last count, and all that were sent since. */
  #most = 0;

  /** @param max bytes */
  constructor(private readonly max: number) {}

  /**
   * Counts what waits on a connection.
   * @param host of the peer
   * @param below the connections that carry its streams: encrypted, and the one of TCP
   */
  watch(host: string, muxer: StreamMuxer, below: readonly MessageStream[]): void {
    const [connection] = below;
    if (!connection) return;
    const waiting = (streams: readonly MessageStream[]) =>
      streams.reduce((sum, { writeBufferLength }) => sum + writeBufferLength, 0);
    const queue = {
      host,
      bytes: () => waiting(below) + waiting(muxer.streams),
      abort: (error: Error) => connection.abort(error),
    };
    this.#queues.add(queue);
    connection.addEventListener('close', () => this.#queues.delete(queue));
    this.count(connection);
  }

  /** Counts again whenever much has been sent on a connection or a stream. */
  count(stream: MessageStream): void {
    const send = stream.send.bind(stream);
    stream.send = (data) => {
      const more = send(data);
      this.#most += data.byteLength;
      if (this.#most > this.max) this.#clear();
      return more;
    };
  }

  /** Counts what waits, and ends connections until that is within the bound. */
  #clear(): void {
    for (;;) {
      const counted = [...this.#queues].map((queue) => ({ queue, bytes: queue.bytes() }));
      const byHost = new Map<string, number>();
      this.#most = 0;
      for (const { queue, bytes } of counted) {
        this.#most += bytes;
        byHost.set(queue.host, (byHost.get(queue.host) ?? 0) + bytes);
      }
      if (this.#most <= this.max) return;
      const [host] = [...byHost].reduce((one, other) => (other[1] > one[1] ? other : one));
      const { queue } = counted
        .filter((each) => each.queue.host === host)
        .reduce((one, other) => (other.bytes > one.bytes ? other : one));
      this.#queues.delete(queue);
      queue.abort(new Error('too much waits to be read'));
    }
  }
}
