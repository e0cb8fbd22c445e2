import { AskedThread } from '#server/common/asked-thread.ts';
import type { Encoding } from './answer.ts';

/** A row as the worker gets it. */
export interface SentRow {
  id: string;
  /** The row's place in the list: rows are sorted by this, then by their id. */
  order: number | string;
  /** Null: the list leaves it out for now. Undefined: it is gone. */
  json: string | null | undefined;
}

export type ListRequest = { list: string } & (
  | { do: 'rows'; rows: SentRow[] }
  /** Joins the rows between two texts. `tag` stands for what else is in the answer. */
  | { do: 'make'; before: string; after: string; tag: string; encodings: Encoding[] }
  /** The newest answer in other encodings. */
  | { do: 'encode'; encodings: Encoding[] }
);

export interface ListResult {
  /** The number of the request. */
  number: number;
  /** The number of the request that made the answer. */
  made: number;
  etag: string;
  size: number;
  bodies: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>;
  /** What it took, milliseconds. */
  ms: number;
}

/** A million rows take about one second. */
const TIMEOUT_MS = 30_000;

/**
 * Lists with fewer rows are made in the event loop, at most in some milliseconds, and are never behind the read
 * model.
 */
const FROM_ROWS = 3000;

/** The thread that joins and compresses large lists. */
export class ListWorker {
  readonly #thread = new AskedThread<ListRequest, ListResult>({
    program: new URL('./list-worker.ts', import.meta.url),
    name: 'that makes large lists',
    timeoutMs: TIMEOUT_MS,
  });

  /** @param fromRows from how many rows on a list is made by the worker */
  constructor(readonly fromRows = FROM_ROWS) {}

  /** Changes when the worker has been replaced: the new one knows no rows. */
  get generation(): number {
    return this.#thread.starts;
  }

  send(list: string, rows: SentRow[]): void {
    if (rows.length > 0) this.#thread.tell({ list, do: 'rows', rows });
  }

  /** @throws Error if the worker dies or does not answer */
  make(
    list: string,
    answer: { before: string; after: string; tag: string; encodings: Encoding[] },
  ): Promise<ListResult> {
    return this.#thread.ask({ list, do: 'make', ...answer });
  }

  /** @throws Error if the worker dies or does not answer */
  encode(list: string, encoding: Encoding): Promise<ListResult> {
    return this.#thread.ask({ list, do: 'encode', encodings: [encoding] });
  }

  async stop(): Promise<void> {
    await this.#thread.stop();
  }
}
