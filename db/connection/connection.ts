import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { databaseCode, READ_ONLY } from './errors.ts';
import { onTimeout } from './timeout.ts';

/** What drizzle's driver for postgres.js uses of its client. */
export interface Statement<Row> extends PromiseLike<Row[]> {
  values(): Promise<unknown>;
}
export interface Client {
  unsafe<Row>(
    query: string,
    parameters?: unknown[],
    options?: { prepare?: boolean },
  ): Statement<Row>;
}
export interface TransactionClient extends Client {
  savepoint<T>(work: (client: TransactionClient) => Promise<T>): Promise<T>;
  /** A `copy … to stdout` statement. Its data has to be read before the next statement. */
  copyOut(statement: string): AsyncIterable<Uint8Array>;
  /** A `copy … from stdin` statement. */
  copyIn(statement: string, data: AsyncIterable<Uint8Array>): Promise<void>;
}

/** Where drizzle registers its parsers and serializers. */
export interface DriverOptions {
  parsers: object;
  serializers: object;
}

const CONNECT_TIMEOUT_S = 2;
/** An idle connection is replaced after this time, milliseconds, plus as much again at random. */
const LIFETIME_MS = 1_800_000;

/** A session with the server. Once broken it stays broken. */
export class Connection {
  broken: Error | undefined;
  /** The server has answered a statement on this connection. */
  established = false;
  readonly #client: postgres.Sql;
  #socket: Socket | undefined;
  #abort: ((error: Error) => void) | undefined;
  #retireAt = performance.now() + LIFETIME_MS * (1 + Math.random());

  constructor(
    url: string,
    private readonly details: {
      session: Record<string, string | number>;
      /** Instead of the host of the URL. */
      host: { host: string; port: number } | undefined;
      /** The path of a Unix socket, instead of a host. */
      socket: string | undefined;
      /** False if a pooler shares sessions: statements are then not prepared by name. */
      prepare: boolean;
      customize: DriverOptions;
      onFailure: (error: Error) => void;
    },
  ) {
    const options = {
      max: 1,
      max_lifetime: null,
      idle_timeout: 0,
      connect_timeout: CONNECT_TIMEOUT_S,
      // The driver does not catch errors of this query: losing the connection meanwhile would be an unhandled
      // rejection.
      fetch_types: false,
      onnotice: () => undefined,
      onclose: () => this.fail(failure('CONNECTION_CLOSED')),
      prepare: details.prepare,
      ...(details.host && { host: [details.host.host], port: [details.host.port] }),
      connection: { application_name: 'mesh-registry', ...details.session },
      // Missing from the driver's declared options.
      socket: (address: Address) => this.#connectTo(address),
    };
    this.#client = postgres(url, options as object);
    Object.assign(this.#client.options.parsers, details.customize.parsers);
    Object.assign(this.#client.options.serializers, details.customize.serializers);
  }

  /** From now on it counts as old: the unit of work in progress is its last. */
  expire(): void {
    this.#retireAt = -Infinity;
  }

  isOld(): boolean {
    return performance.now() > this.#retireAt;
  }

  /** Runs a unit of work. Rejects as soon as the connection fails, even if the driver never answers. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#abort = reject;
        work(this).then(resolve, reject);
      });
    } finally {
      this.#abort = undefined;
    }
  }

  async run(
    query: string,
    parameters: unknown[] = [],
    options: { prepare?: boolean } = {},
    values = false,
  ): Promise<unknown> {
    // The driver would reconnect, and commit the second half of a transaction without the first.
    if (this.broken) throw this.broken;
    try {
      const sent = parameters.map((value) =>
        Array.isArray(value) ? arrayOf(value as string[]) : value,
      );
      const pending = this.#client.unsafe(query, sent as never[], options);
      const result: unknown = await (values ? pending.values() : pending);
      if (this.broken) throw this.broken as Error;
      this.established = true;
      return result;
    } catch (error) {
      // Read-only: the server was demoted, or is a standby. Another connection may reach the new primary.
      if (!isStatementError(error) || databaseCode(error) === READ_ONLY) this.fail(error as Error);
      else this.established = true;
      throw error;
    }
  }

  /**
   * Fails the connection if the server does not accept writes: a standby, or one that is being demoted. The driver’s
   * own check takes a standby of PostgreSQL 14 or later for writable.
   */
  async requireWritable(): Promise<void> {
    const endWait = onTimeout(CONNECT_TIMEOUT_S * 1000, () =>
      this.fail(failure('CONNECT_TIMEOUT')),
    );
    try {
      const [row] = (await this.use(() =>
        this.run("select current_setting('transaction_read_only') as read_only"),
      )) as { read_only: string }[];
      if (row?.read_only === 'off') return;
      const error = failure(READ_ONLY);
      this.established = false;
      this.fail(error);
      throw error;
    } finally {
      endWait();
    }
  }

  async *copyOut(statement: string): AsyncGenerator<Uint8Array> {
    if (this.broken) throw this.broken;
    const data = await this.#client.unsafe(statement).readable();
    try {
      yield* data.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    } finally {
      // Nothing else can be sent before all of it has been read.
      await finished(data.resume()).catch(() => undefined);
      // The driver pauses its socket when the reader is slow. If that was at the last row, nobody would resume it.
      data._read(0);
    }
  }

  async copyIn(statement: string, data: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.broken) throw this.broken;
    const target = await this.#client.unsafe(statement).writable();
    await pipeline(Readable.from(data, { objectMode: false }), target);
    if (this.broken) throw this.broken as Error;
  }

  fail(error: Error): void {
    if (this.broken) return;
    this.broken = error;
    this.#socket?.destroy();
    this.details.onFailure(error);
    this.#abort?.(error);
  }

  /** Closes the session in good order. */
  async end(): Promise<void> {
    await this.#client.end({ timeout: 1 }).catch(() => undefined);
    this.fail(failure('CONNECTION_ENDED'));
  }

  #connectTo({ path, host, port }: Address): Socket {
    // The driver tries to reconnect, but this connection is finished: the pool opens another.
    if (this.broken) throw this.broken;
    const address = { host: host[0] ?? 'localhost', port: port[0] ?? 5432 };
    const local = this.details.socket ?? path;
    const socket = connect(local ? { path: local } : address);
    socket.once('error', (error) => this.fail(error));
    socket.once('close', () => this.fail(failure('CONNECTION_CLOSED')));
    this.#socket = socket;
    // The driver reads the name that TLS has to verify from here.
    return Object.assign(socket, address);
  }
}

interface Address {
  path?: string;
  host: string[];
  port: number[];
}

/**
 * Commits if `work` resolves, and rolls back if it rejects.
 * @param begin the statements that begin the transaction
 */
export async function inTransaction<T>(
  connection: Connection,
  begin: string,
  work: (client: TransactionClient) => Promise<T>,
): Promise<T> {
  // The first statement that failed. The server then answers "commit" with a silent rollback.
  let failed: Error | undefined;
  let savepoints = 0;
  const noticing = async <R>(work: Promise<R>): Promise<R> => {
    try {
      return await work;
    } catch (error) {
      failed ??= error as Error;
      throw error;
    }
  };
  const client: TransactionClient = {
    unsafe: (query, parameters, options) =>
      statement((values) => noticing(connection.run(query, parameters, options, values))),
    copyOut: (query) => connection.copyOut(query),
    copyIn: (query, data) => noticing(connection.copyIn(query, data)),
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
  await connection.run(begin);
  try {
    const result = await work(client);
    if (failed) throw failed;
    await connection.run('commit');
    return result;
  } catch (error) {
    // Without an answer to the rollback the connection is useless.
    if (!connection.broken)
      await connection.run('rollback').catch(connection.fail.bind(connection));
    throw error;
  }
}

/** A statement as drizzle expects it: sent when it is awaited, or when its values are requested. */
export const statement = <Row>(run: (values: boolean) => Promise<unknown>): Statement<Row> => ({
  values: () => run(true),
  then: (resolve, reject) => (run(false) as Promise<Row[]>).then(resolve, reject),
});

/** A flat array of numbers and texts in PostgreSQL's text format. */
const arrayOf = (values: (string | number | null | undefined)[]): string =>
  `{${values
    .map((value) => {
      if (value === null || value === undefined) return 'NULL';
      if (typeof value === 'number') return value;
      return `"${value.replace(/["\\]/g, '\\$&')}"`;
    })
    .join(',')}}`;

/** True if the server rejected a statement and the session continues; any other error ends the connection. */
const isStatementError = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.severity === 'ERROR';

/** A failed connection, with the driver's code for it. */
export const failure = (code: string): Error =>
  Object.assign(new Error(`The connection to the database failed (${code}).`), { code });
