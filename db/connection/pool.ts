import { setTimeout as sleep } from 'node:timers/promises';
import {
  Connection,
  failure,
  inTransaction,
  statement,
  type Client,
  type Statement,
  type TransactionClient,
} from './connection.ts';
import { databaseCode, isAbsent, isSharedSession, READ_ONLY } from './errors.ts';
import { onTimeout } from './timeout.ts';
import { parseDatabaseUrl, type DatabaseTarget } from './url.ts';

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
  /** Settings of each session; of each transaction, if sessions are shared. Numbers. */
  session?: Record<string, number>;
  /** A server that is not there is waited for, as long as the unit may take. */
  patient?: boolean;
  /** Why nothing is to be written now; null if it is. */
  refuseWrites?: () => Error | null;
}

/** After a refused connection none is tried for this long, milliseconds: a starting server is not flooded. */
const PAUSE_AFTER_REFUSAL_MS = 100;
/** How long we wait before we look again for a server that is not there, milliseconds. */
const LOOK_AGAIN_MS = 50;
/** A statement that only reads; values are parameters, so the words are not part of one. */
const READS = /^\s*(select\b|with\b(?![^]*\b(insert into|update|delete from)\b))/i;
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
  readonly #target: DatabaseTarget;
  /** Where the host to connect to stands in the list of hosts. */
  #host = 0;
  /** Refused connections in a row. */
  #refusals = 0;
  #closing = false;
  #onEmpty: (() => void) | undefined;

  constructor(
    url: string,
    private readonly limits: PoolOptions,
  ) {
    this.#target = parseDatabaseUrl(url);
  }

  unsafe<Row>(
    query: string,
    parameters?: unknown[],
    options?: { prepare?: boolean },
  ): Statement<Row> {
    const run = (values: boolean) => (connection: Connection) =>
      connection.run(query, parameters, options, values);
    return statement((values) =>
      this.#unit(!READS.test(query), (connection) =>
        this.#target.pooled
          ? // Only within a transaction can the statement have its time-outs.
            inTransaction(connection, this.#beginWithLimits(), () => run(values)(connection))
          : run(values)(connection),
      ),
    );
  }

  /** A transaction on a connection of its own: commits if `work` resolves, rolls back if it rejects. */
  begin<T>(work: (client: TransactionClient) => Promise<T>): Promise<T> {
    return this.#unit(true, (connection) =>
      inTransaction(connection, this.#target.pooled ? this.#beginWithLimits() : 'begin', work),
    );
  }

  #beginWithLimits(): string {
    const settings = Object.entries(this.limits.session ?? {});
    return ['begin', ...settings.map(([name, value]) => `set local ${name} = ${value}`)].join('; ');
  }

  /** Waits for units under way, a few seconds at most. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const { reject, endWait } of this.#waiting.splice(0)) {
      endWait?.();
      reject(failure('CONNECTION_ENDED'));
    }
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const connection of this.#idle.splice(0)) void connection.end();
    const limit = setTimeout(() => {
      for (const connection of this.#all) connection.fail(failure('CONNECTION_ENDED'));
    }, CLOSE_TIMEOUT_MS);
    if (this.#all.size > 0) await empty;
    clearTimeout(limit);
  }

  async #unit<T>(writes: boolean, work: (connection: Connection) => Promise<T>): Promise<T> {
    const refusal = writes ? this.limits.refuseWrites?.() : null;
    if (refusal) throw refusal;
    const { pooled } = this.#target;
    try {
      return await this.#attempt(work);
    } catch (error) {
      if (pooled || !isSharedSession(error)) throw error;
      // Nothing has been done yet: the session or the statement was refused.
      this.#target.pooled = true;
      this.#replaceAll();
      return this.#attempt(work);
    }
  }

  async #attempt<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const { timeoutMs, patient } = this.limits;
    for (;;) {
      const connection = await this.#acquire().catch((error: Error) => error);
      const leftMs = (timeoutMs ?? Infinity) - (performance.now() - startedAt);
      try {
        if (connection instanceof Error) throw connection;
        return await this.#use(connection, work, leftMs);
      } catch (error) {
        const reached = !(connection instanceof Error) && connection.established;
        if (!patient || reached || !isAbsent(error) || leftMs < LOOK_AGAIN_MS) throw error;
        await sleep(LOOK_AGAIN_MS);
      }
    }
  }

  async #use<T>(
    connection: Connection,
    work: (connection: Connection) => Promise<T>,
    leftMs: number,
  ): Promise<T> {
    const endWait =
      leftMs === Infinity
        ? undefined
        : onTimeout(leftMs, () => connection.fail(failure('ETIMEDOUT')));
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

  async #connect(): Promise<Connection> {
    const { hosts } = this.#target;
    for (let attempt = 1; ; attempt++) {
      if (this.#refused && performance.now() < this.#refused.until) throw this.#refused.error;
      const connection = this.#open();
      if (hosts.length === 0) return connection;
      try {
        await connection.requireWritable();
        this.#refusals = 0;
        return connection;
      } catch (error) {
        if (attempt >= hosts.length || this.#closing) throw error;
      }
    }
  }

  #open(): Connection {
    const { url, hosts, socket, pooled } = this.#target;
    const host = hosts[this.#host];
    const connection: Connection = new Connection(url, {
      session: pooled ? {} : (this.limits.session ?? {}),
      prepare: !pooled,
      host,
      socket,
      customize: this.options,
      onFailure: (error) => {
        this.#all.delete(connection);
        const at = this.#idle.indexOf(connection);
        if (at >= 0) this.#idle.splice(at, 1);
        if (!connection.established && !isSharedSession(error)) this.#refuse(host, error);
        if (databaseCode(error) === READ_ONLY) this.#replaceAll();
        if (this.#all.size === 0) this.#onEmpty?.();
        this.#connectNext();
      },
    });
    this.#all.add(connection);
    return connection;
  }

  /** The next connection goes to the next host; once all have refused, we pause. */
  #refuse(host: DatabaseTarget['hosts'][number] | undefined, error: Error): void {
    const hosts = Math.max(1, this.#target.hosts.length);
    // Several connections may fail at the same time: one of them moves us on.
    if (host !== this.#target.hosts[this.#host]) return;
    this.#host = (this.#host + 1) % hosts;
    if (++this.#refusals < hosts) return;
    this.#refusals = 0;
    this.#refused = { error, until: performance.now() + PAUSE_AFTER_REFUSAL_MS };
  }

  #release(connection: Connection): void {
    if (connection.broken) return;
    if (this.#closing || connection.isOld()) return void connection.end();
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

  /** Uses no connection of now again: they reach a server that is no longer the primary, for example. */
  #replaceAll(): void {
    for (const connection of this.#all) connection.expire();
    for (const connection of this.#idle.splice(0)) void connection.end();
  }
}
