import { getTableColumns, sql, type Column, type SQL, type Table } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import type { replicationColumns } from '#db/schema/columns.ts';

/** The body of a feed record: a JSON array of rows, each an array of its columns' values; moments in milliseconds. */

/** Columns that no read model holds. */
const LEFT_OUT: readonly string[] = [
  'writtenAt',
  'writtenBy',
] satisfies (keyof typeof replicationColumns)[];

/** The columns that read models hold. */
export const modelColumns = (table: Table): Record<string, Column> =>
  Object.fromEntries(
    Object.entries(getTableColumns(table)).filter(([key]) => !LEFT_OUT.includes(key)),
  );

interface FieldCodec {
  key: string;
  sql: SQL;
  isMoment: boolean;
}

/** Reads and writes the records of one table. A column that is added to the table must come last. */
export class RecordFormat<Row extends object> {
  readonly #fields: FieldCodec[];

  constructor(table: Table) {
    this.#fields = Object.entries(modelColumns(table)).map(([key, column]) => {
      const name = sql.raw(toSnakeCase(key));
      const isMoment = column.dataType === 'date';
      return {
        key,
        isMoment,
        sql: isMoment ? sql`(extract(epoch from ${name}) * 1000)::bigint` : sql`${name}`,
      };
    });
  }

  /** The body of a record of all rows of a subquery. */
  aggregate(subquery: string): SQL {
    const row = sql.join(
      this.#fields.map((field) => field.sql),
      sql`, `,
    );
    return sql`coalesce(json_agg(json_build_array(${row}))::text, '[]') from ${sql.raw(subquery)}`;
  }

  encode(rows: Row[]): string {
    return JSON.stringify(
      rows.map((row) =>
        this.#fields.map(({ key }) => {
          const value = (row as Record<string, unknown>)[key];
          return value instanceof Date ? value.getTime() : value;
        }),
      ),
    );
  }

  decode(body: string): Row[] {
    return (JSON.parse(body) as unknown[][]).map((values) => {
      const row: Record<string, unknown> = {};
      this.#fields.forEach(({ key, isMoment }, index) => {
        const value = values[index] ?? null;
        row[key] = isMoment && value !== null ? new Date(value as number) : value;
      });
      return row as Row;
    });
  }
}
