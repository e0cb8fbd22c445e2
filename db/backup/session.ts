import type { TransactionClient } from '../connection/connection.ts';

/** A transaction with the COPY command, which drizzle lacks. */
export interface Session {
  /** The rows of one statement. */
  rows<Row>(statement: string): Promise<Row[]>;
  /** `copy … to`: the rows of a query, which have to be read before the next statement. */
  copyOut(query: string): AsyncIterable<Uint8Array>;
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

export const sessionOf = (client: TransactionClient): Session => ({
  rows: async <Row>(statement: string) => (await client.unsafe(statement)) as Row[],
  copyOut: (query) => client.copyOut(`copy (${query}) to stdout`),
  copyIn: (table, rows) => client.copyIn(`copy ${table} from stdin`, rows),
});
