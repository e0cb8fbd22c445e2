import {
  Connection,
  failure,
  inTransaction,
  statement,
  type Client,
  type Statement,
  type TransactionClient,
} from './connection.ts';
import { onTimeout } from './timeout.ts';

/**
 * The connections to PostgreSQL. Each unit of work, a statement or a transaction, has one to itself. A
 * connection on which anything went wrong is discarded together with its driver object.
 *
 * The driver's own pool, in postgres.js 3.4.9, does not survive a connection that dies in use:
 * - after a failed statement of a transaction it sends "rollback" into the closed connection, which
 *   throws from a timer and ends the process (connection.js, nextWrite);
 * - what it sends between a socket's `error` and its `close` is never answered, and counts as answered
 *   after it reconnects;
 * - it has no time-out for answers: a server that hangs blocks its callers for ever.
 *
 * Hence one driver object per connection, no reconnecting, a time-out for each unit, and a socket of our
 * own that can be destroyed.
 */

export interface PoolOptions {
  max: number;
  /** Longest a unit may take, milliseconds, including the wait for a connection. Undefined: for ever. */
  timeoutMs?: number;
  /** Settings of each session. */
  session?: Record<string, string | number>;
}

/** After a refused connection none is tried for this long, milliseconds: a starting server is not flooded. */
const PAUSE_AFTER_REFUSAL_MS = 100;
/** How long `close` waits for units under way, milliseconds. */
const CLOSE_TIMEOUT_MS = 3000;

interface Waiting {
  resolve: (connection: Connection) => void;
  reject: (error: Error) => void;
  endWait: (() => void) | undefined;
}

export class Pool implements Client {
  /** Drizzle registers its parsers and serializers here. */
  readonly options = { parsers: {}, serializers: {} };

  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  #waiting: Waiting[] = [];
  #refused: { error: Error; until: number } | undefined;
  #hosts = 0;
  #closing = false;
  #onEmpty: (() => void) | undefined;

  constructor(
    private readonly url: string,
    private readonly limits: PoolOptions,
  ) {}

  unsafe(query: string, parameters?: unknown[], options?: { prepare?: boolean }): Statement {
    return statement((values) =>
      this.#unit((connection) => connection.run(query, parameters, options, values)),
    );
  }

  /** A transaction on a connection of its own: commits if `work` resolves, rolls back if it rejects. */
  begin<T>(work: (client: TransactionClient) => Promise<T>): Promise<T> {
    return this.#unit((connection) => inTransaction(connection, work));
  }

  /** Waits for units under way, a few seconds at most. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const { reject } of this.#clearWaiting()) reject(failure('CONNECTION_ENDED'));
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const connection of this.#idle.splice(0)) this.#retire(connection);
    const limit = setTimeout(() => {
      for (const connection of this.#all) connection.fail(failure('CONNECTION_ENDED'));
    }, CLOSE_TIMEOUT_MS);
    if (this.#all.size > 0) await empty;
    clearTimeout(limit);
  }

  async #unit<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const connection = await this.#acquire();
    const { timeoutMs } = this.limits;
    const endWait =
      timeoutMs === undefined
        ? undefined
        : onTimeout(timeoutMs - (performance.now() - startedAt), () =>
            connection.fail(failure('ETIMEDOUT')),
          );
    try {
      return await connection.use(work);
    } finally {
      endWait?.();
      this.#release(connection);
    }
  }

  #acquire(): Promise<Connection> {
    if (this.#closing) return Promise.reject(failure('CONNECTION_ENDED'));
    const idle = this.#idle.pop();
    if (idle) return Promise.resolve(idle);
    if (this.#all.size < this.limits.max) return this.#connect();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { resolve, reject, endWait: undefined };
      if (this.limits.timeoutMs !== undefined)
        waiting.endWait = onTimeout(this.limits.timeoutMs, () => {
          this.#waiting = this.#waiting.filter((other) => other !== waiting);
          reject(failure('ETIMEDOUT'));
        });
      this.#waiting.push(waiting);
    });
  }

  #connect(): Promise<Connection> {
    if (this.#refused && performance.now() < this.#refused.until)
      return Promise.reject(this.#refused.error);
    const connection: Connection = new Connection(this.url, {
      session: this.limits.session ?? {},
      host: this.#hosts++,
      customize: this.options,
      onFailure: (error) => {
        this.#all.delete(connection);
        const at = this.#idle.indexOf(connection);
        if (at >= 0) this.#idle.splice(at, 1);
        if (!connection.established)
          this.#refused = { error, until: performance.now() + PAUSE_AFTER_REFUSAL_MS };
        if (this.#all.size === 0) this.#onEmpty?.();
        this.#connectNext();
      },
    });
    this.#all.add(connection);
    return Promise.resolve(connection);
  }

  #release(connection: Connection): void {
    if (connection.broken) return;
    if (this.#closing || connection.isOld()) return this.#retire(connection);
    const next = this.#waiting.shift();
    if (!next) return void this.#idle.push(connection);
    next.endWait?.();
    next.resolve(connection);
  }

  /** Opens a connection for the next waiting unit, to replace one that failed. */
  #connectNext(): void {
    const next = this.#closing ? undefined : this.#waiting.shift();
    if (!next) return;
    next.endWait?.();
    this.#connect().then(next.resolve, (error: Error) => {
      next.reject(error);
      this.#connectNext();
    });
  }

  #retire(connection: Connection): void {
    void connection.end();
  }

  #clearWaiting(): Waiting[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { endWait } of waiting) endWait?.();
    return waiting;
  }
}
