import { and, gt, inArray, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db } from '#db/client.ts';
import type {
  blockedNodes,
  computes,
  formerKeys,
  hiddenNodes,
  nodeKeys,
  nodeSigners,
  peers,
  registrations,
} from '#db/schema/index.ts';
import { Slices } from '#server/common/slices.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { modelColumns, RecordFormat } from './feed-record.ts';
import { isSame, LiveTable, type VersionedRow } from './live-table.ts';

type ReplicatedTable =
  | typeof peers
  | typeof computes
  | typeof registrations
  | typeof blockedNodes
  | typeof hiddenNodes
  | typeof nodeKeys
  | typeof formerKeys
  | typeof nodeSigners;

/** Rows per statement of the first load: reading more at once would block the event loop. */
const LOAD_ROWS = 2000;

/** Most rows that are verified at once; the others when they come in again. */
const VERIFY_MAX = 1000;

/** Which rows of a table are held in memory: the same rule for the database and for a row. */
interface Held<Row> {
  where: SQL;
  holds: (row: Row) => boolean;
}

/** One table of the database and its rows in memory. */
export class Replica<Row extends VersionedRow> {
  readonly rows: LiveTable<Row>;
  readonly format: RecordFormat<Row>;

  /** @param held undefined: all rows */
  constructor(
    readonly table: ReplicatedTable,
    private readonly held?: Held<Row>,
  ) {
    this.rows = new LiveTable<Row>(held?.holds);
    this.format = new RecordFormat<Row>(table);
  }

  /**
   * Makes the rows those of the database that are held: removes what it does not have, and takes back what it has lost.
   * @param onPage called after each page of rows
   */
  async load(db: Db, onPage: () => Promise<void>): Promise<void> {
    const slices = new Slices();
    this.rows.beginLoad();
    let after = '';
    for (;;) {
      const rows = (await withRetry(() =>
        this.#select(db, and(this.held?.where, gt(this.#id, after)))
          .orderBy(this.#id)
          .limit(LOAD_ROWS),
      )) as unknown as Row[];
      await slices.each(rows, (row) => this.rows.load([row]));
      await onPage();
      const last = rows.at(-1);
      if (!last || rows.length < LOAD_ROWS) return slices.each(this.rows.endLoad());
      after = last.id;
    }
  }

  /** Whether the database holds an older version of a doubtful row than we do, or another one of the same age. */
  async hasLostRows(db: Db): Promise<boolean> {
    const doubtful = this.rows.takeDoubtful().slice(0, VERIFY_MAX);
    if (doubtful.length === 0) return false;
    // These are held before the database is asked: it knows at least these versions, unless it has lost them.
    const held = new Map(doubtful.map((id) => [id, this.rows.get(id)]));
    const stored = (await this.#select(db, inArray(this.#id, doubtful))) as unknown as Row[];
    let hasLost = false;
    await new Slices().each(stored, (row) => {
      const ours = held.get(row.id);
      // The clock was set back, and it was inserted again: its revs begin lower than the deleted one.
      if (!ours) this.rows.restore([row]);
      else if (row.rev < ours.rev || (row.rev === ours.rev && !isSame(row, ours))) hasLost = true;
    });
    return hasLost;
  }

  get #id(): PgColumn {
    return this.table.id;
  }

  #select(db: Db, where: SQL | undefined) {
    const columns = modelColumns(this.table) as Record<string, PgColumn>;
    return db
      .select(columns)
      .from(this.table as typeof peers)
      .where(where)
      .$dynamic();
  }
}
