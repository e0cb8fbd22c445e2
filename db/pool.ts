import { connect, type Socket } from 'node:net';
import postgres from 'postgres';
import { onTimeout } from './timeout.ts';

/**
 * The connections to PostgreSQL: each unit of work, a statement or a transaction, has one to itself,
 * and a connection on which anything went wrong is thrown away, driver object and all.
 *
 * Not the driver's own pool, because of what postgres.js 3.4.9 does when a connection dies in use:
 * - after a failed statement of a transaction it sends "rollback" into the connection that is gone,
 *   which throws from a timer and ends the process (connection.js, nextWrite);
 * - what is sent between a socket's `error` and its `close` is never answered, and is taken for
 *   answered when the connection is made anew;
 * - it has no limit for an answer: a server that hangs holds its callers for ever.
 *
 * So here: one driver object per connection, no reconnecting, a limit for each unit, and a socket of
 * our own that can be cut.
 */

export interface PoolOptions {
  max: number;
  /** Longest a unit may take, milliseconds, with waiting for a connection; its connection is cut then. Undefined: no limit. */
  timeoutMs?: number;
  /** Settings of each session. */
  session?: Record<string, string | number>;
}

/** What drizzle's driver for postgres.js uses of its client. */
interface Statement extends PromiseLike<unknown> {
  values(): Promise<unknown>;
}
interface Client {
  unsafe(query: string, parameters?: unknown[], options?: { prepare?: boolean }): Statement;
}
export interface TransactionClient extends Client {
  savepoint<T>(work: (client: TransactionClient) => Promise<T>): Promise<T>;
}

/** How long after a refused connection none is tried, milliseconds: a server that starts up is not stormed. */
const PAUSE_AFTER_REFUSAL_MS = 100;
const CONNECT_TIMEOUT_S = 2;
/** After this long (plus as much again, at random) an idle connection is replaced, milliseconds. */
const LIFETIME_MS = 1_800_000;
const CLOSE_TIMEOUT_MS = 3000;

interface Waiting {
  resolve: (connection: Connection) => void;
  reject: (error: Error) => void;
  endWait: (() => void) | undefined;
}

export class Pool implements Client {
  /** Drizzle puts its parsers and serializers in here. */
  readonly options = { parsers: {}, serializers: {} };

  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  #waiting: Waiting[] = [];
  #refused: { error: Error; until: number } | undefined;
  #lostConnections = 0;
  #hosts = 0;
  #closing = false;
  #onEmpty: (() => void) | undefined;

  constructor(
    private readonly url: string,
    private readonly limits: PoolOptions,
  ) {}

  /**
   * Grows when a connection is lost while it is in use: what was under way on it may have been
   * committed, now or somewhat later, although its caller was told that it failed.
   */
  get lostConnections(): number {
    return this.#lostConnections;
  }

  unsafe(query: string, parameters?: unknown[], options?: { prepare?: boolean }): Statement {
    return statement((values) =>
      this.#unit((connection) => connection.run(query, parameters, options, values)),
    );
  }

  /** A transaction on a connection of its own: committed when `work` resolves, rolled back when it rejects. */
  begin<T>(work: (client: TransactionClient) => Promise<T>): Promise<T> {
    return this.#unit((connection) => inTransaction(connection, work));
  }

  /** Waits for what is under way, a few seconds at most. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const { reject } of this.#takeWaiting()) reject(failure('CONNECTION_ENDED'));
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
    const connection = await this.#take();
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
      this.#give(connection);
    }
  }

  #take(): Promise<Connection> {
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
        else if (connection.inUse) this.#lostConnections++;
        if (this.#all.size === 0) this.#onEmpty?.();
        this.#serveNext();
      },
    });
    this.#all.add(connection);
    return Promise.resolve(connection);
  }

  #give(connection: Connection): void {
    if (connection.broken) return;
    if (this.#closing || connection.isOld()) return this.#retire(connection);
    const next = this.#waiting.shift();
    if (!next) return void this.#idle.push(connection);
    next.endWait?.();
    next.resolve(connection);
  }

  /** A place became free. */
  #serveNext(): void {
    const next = this.#closing ? undefined : this.#waiting.shift();
    if (!next) return;
    next.endWait?.();
    this.#connect().then(next.resolve, (error: Error) => {
      next.reject(error);
      this.#serveNext();
    });
  }

  #retire(connection: Connection): void {
    void connection.end();
  }

  #takeWaiting(): Waiting[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { endWait } of waiting) endWait?.();
    return waiting;
  }
}

/** One session of the server. Once `broken` it stays so. */
class Connection {
  broken: Error | undefined;
  /** The server has answered a statement on it. */
  established = false;
  inUse = false;
  readonly #client: postgres.Sql;
  #socket: Socket | undefined;
  #abort: ((error: Error) => void) | undefined;
  readonly #retireAt = performance.now() + LIFETIME_MS * (1 + Math.random());

  constructor(
    url: string,
    private readonly details: {
      session: Record<string, string | number>;
      /** Which of the hosts in the URL, counted round. */
      host: number;
      customize: Pool['options'];
      onFailure: (error: Error) => void;
    },
  ) {
    const options = {
      max: 1,
      max_lifetime: null,
      idle_timeout: 0,
      connect_timeout: CONNECT_TIMEOUT_S,
      // The driver asks for them unguarded: a connection lost meanwhile is an unhandled rejection.
      fetch_types: false,
      onnotice: () => undefined,
      onclose: () => this.fail(failure('CONNECTION_CLOSED')),
      connection: { application_name: 'mesh-registry', ...details.session },
      // Not among the driver's declared options.
      socket: (address: Address) => this.#connectTo(address),
    };
    this.#client = postgres(url, options);
    Object.assign(this.#client.options.parsers, details.customize.parsers);
    Object.assign(this.#client.options.serializers, details.customize.serializers);
  }

  isOld(): boolean {
    return performance.now() > this.#retireAt;
  }

  /** Runs a unit of work; rejects at once when the connection fails, whatever the driver makes of it. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    this.inUse = true;
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#abort = reject;
        work(this).then(resolve, reject);
      });
    } finally {
      this.inUse = false;
      this.#abort = undefined;
    }
  }

  async run(
    query: string,
    parameters: unknown[] = [],
    options: { prepare?: boolean } = {},
    values = false,
  ): Promise<unknown> {
    // Nothing of a unit is sent after its connection is lost: the driver would connect anew, and a
    // transaction's second half would be committed without its first.
    if (this.broken) throw this.broken;
    try {
      const sent = parameters.map((value) => (Array.isArray(value) ? arrayOf(value) : value));
      const pending = this.#client.unsafe(query, sent as never[], options);
      const result: unknown = await (values ? pending.values() : pending);
      if (this.broken) throw this.broken as Error;
      this.established = true;
      return result;
    } catch (error) {
      if (!isStatementError(error)) this.fail(error as Error);
      else this.established = true;
      throw error;
    }
  }

  fail(error: Error): void {
    if (this.broken) return;
    this.broken = error;
    this.#socket?.destroy();
    this.details.onFailure(error);
    this.#abort?.(error);
  }

  /** Says goodbye to the server. */
  async end(): Promise<void> {
    await this.#client.end({ timeout: 1 }).catch(() => undefined);
    this.fail(failure('CONNECTION_ENDED'));
  }

  #connectTo({ path, host, port }: Address): Socket {
    // The driver tries again by itself; this connection is over, and another one will be made.
    if (this.broken) throw this.broken;
    const at = this.details.host % host.length;
    const socket = path
      ? connect({ path })
      : connect({ host: host[at] ?? 'localhost', port: port[at] ?? 5432 });
    socket.once('error', (error) => this.fail(error));
    socket.once('close', () => this.fail(failure('CONNECTION_CLOSED')));
    this.#socket = socket;
    // For TLS the driver looks here for the name to verify.
    return Object.assign(socket, { host: host[at], port: port[at] });
  }
}

interface Address {
  path?: string;
  host: string[];
  port: number[];
}

async function inTransaction<T>(
  connection: Connection,
  work: (client: TransactionClient) => Promise<T>,
): Promise<T> {
  // The first statement that failed: the server rolls back at "commit" then, and says so nowhere.
  let failed: Error | undefined;
  let savepoints = 0;
  const client: TransactionClient = {
    unsafe: (query, parameters, options) =>
      statement(async (values) => {
        try {
          return await connection.run(query, parameters, options, values);
        } catch (error) {
          failed ??= error as Error;
          throw error;
        }
      }),
    async savepoint(inner) {
      const name = `s${savepoints++}`;
      await connection.run(`savepoint ${name}`);
      try {
        return await inner(client);
      } catch (error) {
        await connection.run(`rollback to ${name}`);
        failed = undefined;
        throw error;
      }
    },
  };
  await connection.run('begin');
  try {
    const result = await work(client);
    if (failed) throw failed;
    await connection.run('commit');
    return result;
  } catch (error) {
    // Without an answer to the rollback the connection is of no more use, and cut.
    if (!connection.broken)
      await connection.run('rollback').catch(connection.fail.bind(connection));
    throw error;
  }
}

/** A statement as drizzle expects it: sent when it is awaited, or when its values are asked for. */
const statement = (run: (values: boolean) => Promise<unknown>): Statement => ({
  values: () => run(true),
  then: (resolve, reject) => run(false).then(resolve, reject),
});

/** PostgreSQL's text form of a flat array. */
const arrayOf = (values: unknown[]): string =>
  `{${values
    .map((value) =>
      value === null || value === undefined
        ? 'NULL'
        : `"${String(value as string | number).replace(/["\\]/g, '\\$&')}"`,
    )
    .join(',')}}`;

/** The server refused a statement and the session goes on; anything else ends the connection. */
const isStatementError = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.severity === 'ERROR';

const failure = (code: string): Error =>
  Object.assign(new Error(`The connection to the database is lost (${code}).`), { code });
