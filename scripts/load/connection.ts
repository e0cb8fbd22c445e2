import { connect, type Socket } from 'node:net';
import { ResponseReader } from './response-reader.ts';

/** All sockets of a process read into it: each reads to its end before the next one does. */
const buffer = Buffer.allocUnsafe(256 * 1024);

/**
 * A socket to the host of a URL. Its errors are ignored: `close` follows them.
 * @param onBytes gets what was read; the bytes are not kept
 * @param from the local address, if not the system's choice
 */
export function openSocket(url: string, onBytes: (bytes: Buffer) => void, from?: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({
    port: Number(port),
    host: hostname,
    noDelay: true,
    ...(from !== undefined && { localAddress: from }),
    onread: {
      buffer,
      callback(length) {
        onBytes(buffer.subarray(0, length));
        return true;
      },
    },
  });
  return socket.on('error', () => {});
}

/** A connection with one request under way at a time. */
export class Connection {
  /** When the present request should have been sent: what waits for a free connection counts as slow. */
  dueAt = 0;
  isBusy = false;
  #socket: Socket | undefined;
  #request: Buffer | undefined;
  /** Whether this socket has received anything. */
  #used = false;
  #closing = false;

  constructor(
    private readonly url: string,
    private readonly onAnswer: (connection: Connection, status: number) => void,
    private readonly from?: string,
  ) {}

  open(): Promise<void> {
    const reader = new ResponseReader();
    this.#used = false;
    const onBytes = (bytes: Buffer) => {
      this.#used = true;
      if (reader.push(bytes)) this.#finish(reader.status);
    };
    const socket = openSocket(this.url, onBytes, this.from);
    this.#socket = socket;
    socket.on('close', () => this.#closed());
    return new Promise((resolve) => socket.once('connect', resolve).once('close', () => resolve()));
  }

  send(request: Buffer, dueAt: number): void {
    this.dueAt = dueAt;
    this.isBusy = true;
    this.#request = request;
    if (!this.#socket) void this.open();
    this.#write();
  }

  close(): void {
    this.#closing = true;
    this.#socket?.destroy();
  }

  #finish(status: number): void {
    // A server may say 408 to a connection that sends nothing, before it closes it.
    if (!this.isBusy) return;
    this.isBusy = false;
    this.onAnswer(this, status);
  }

  /** A server closes a connection that was idle for long: clients then send their request again. */
  #closed(): void {
    this.#socket = undefined;
    if (!this.isBusy || this.#closing) return;
    if (!this.#used) return this.#finish(0);
    void this.open();
    this.#write();
  }

  #write(): void {
    if (this.#request) this.#socket?.write(this.#request);
  }
}
