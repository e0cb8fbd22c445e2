import type { Transaction } from '@electric-sql/pglite';
import type { TransactionClient } from '../connection.ts';

/** A transaction of either engine, with the COPY command, which drizzle lacks. */
export interface Session {
  /** The rows of one statement. */
  rows<Row>(statement: string): Promise<Row[]>;
  /** `copy … to`: the rows of a query. On PostgreSQL they have to be read before the next statement. */
  copyOut(query: string): Promise<AsyncIterable<Uint8Array>>;
  /** `copy … from`. @param table with its columns. @param rows in chunks of whole lines */
  copyIn(table: string, rows: AsyncIterable<Uint8Array>): Promise<void>;
}

/** The text of values must not depend on the settings of a server, a database or a role. */
const SETTINGS = [
  `set local timezone = 'UTC'`,
  `set local datestyle = 'ISO'`,
  `set local extra_float_digits = 1`,
  `set local bytea_output = 'hex'`,
  `set local statement_timeout = 0`,
  `set local idle_in_transaction_session_timeout = 0`,
];

export async function applySettings(session: Session): Promise<void> {
  for (const setting of SETTINGS) await session.rows(setting);
}

export const postgresSession = (client: TransactionClient): Session => ({
  rows: async <Row>(statement: string) => (await client.unsafe(statement)) as Row[],
  copyOut: (query) => Promise.resolve(client.copyOut(`copy (${query}) to stdout`)),
  copyIn: (table, rows) => client.copyIn(`copy ${table} from stdin`, rows),
});

/** The embedded database takes the data of a COPY as a whole: this much at a time, bytes. */
const PIECE = 4_000_000;

export const embeddedSession = (tx: Transaction): Session => ({
  rows: async <Row>(statement: string) => (await tx.query<Row>(statement)).rows,
  async copyOut(query) {
    const { blob } = await tx.query(`copy (${query}) to '/dev/blob'`);
    return (blob ?? new Blob()).stream() as unknown as AsyncIterable<Uint8Array>;
  },
  async copyIn(table, rows) {
    let piece: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    const flush = async () => {
      if (size > 0) await tx.query(`copy ${table} from '/dev/blob'`, [], { blob: new Blob(piece) });
      [piece, size] = [[], 0];
    };
    for await (const chunk of rows) {
      piece.push(new Uint8Array(chunk));
      if ((size += chunk.length) >= PIECE) await flush();
    }
    await flush();
  },
});
