import type { Worker } from 'node:worker_threads';
import { startThread } from '#server/common/thread.ts';
import type { Encoding } from './answer.ts';

/** A row as the worker gets it. */
export interface SentRow {
  id: string;
  /** See Order. */
  order: number | string;
  /** Null: the list leaves it out for now. Undefined: it is gone. */
  json: string | null | undefined;
}

export type ListRequest = { list: string } & (
  | { do: 'rows'; rows: SentRow[] }
  /** Joins the rows between two texts. `tag` stands for what else is in the answer. */
  | { do: 'make'; n: number; before: string; after: string; tag: string; encodings: Encoding[] }
  /** The newest answer in other encodings. */
  | { do: 'encode'; n: number; encodings: Encoding[] }
);

export interface ListReply {
  /** The number of the request. */
  n: number;
  /** The number of the request that made the answer. */
  made: number;
  etag: string;
  size: number;
  bodies: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>;
  /** What it took, milliseconds. */
  ms: number;
}

/** A worker that does not answer for this long is replaced, milliseconds. A million rows take about one second. */
const TIMEOUT_MS = 30_000;

/**
 * Lists with fewer rows are made in the event loop, at most in some milliseconds, and are never behind the read
 * model.
 */
const FROM_ROWS = 3000;

interface Waiting {
  resolve: (reply: ListReply) => void;
  reject: (error: Error) => void;
}

/** The thread that joins and compresses large lists. It starts when it is first needed, and again after it has died. */
export class ListWorker {
  #worker: Worker | undefined;
  #generation = 0;
  #n = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** @param fromRows from how many rows on a list is made by the worker */
  constructor(readonly fromRows = FROM_ROWS) {}

  /** Changes when the worker has been replaced: the new one knows no rows. */
  get generation(): number {
    this.#running();
    return this.#generation;
  }

  send(list: string, rows: SentRow[]): void {
    if (rows.length > 0) this.#post({ list, do: 'rows', rows });
  }

  /** @throws Error if the worker dies or does not answer */
  make(
    list: string,
    answer: { before: string; after: string; tag: string; encodings: Encoding[] },
  ): Promise<ListReply> {
    return this.#ask((n) => ({ list, do: 'make', n, ...answer }));
  }

  /** @throws Error if the worker dies or does not answer */
  encode(list: string, encoding: Encoding): Promise<ListReply> {
    return this.#ask((n) => ({ list, do: 'encode', n, encodings: [encoding] }));
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #ask(request: (n: number) => ListRequest): Promise<ListReply> {
    const n = ++this.#n;
    const worker = this.#running();
    const timer = setTimeout(() => void worker.terminate(), TIMEOUT_MS).unref();
    try {
      return await new Promise<ListReply>((resolve, reject) => {
        this.#waiting.set(n, { resolve, reject });
        this.#post(request(n));
      });
    } finally {
      clearTimeout(timer);
    }
  }

  #post(request: ListRequest): void {
    this.#running().postMessage(request);
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = startThread(new URL('./list-worker.ts', import.meta.url));
    worker.unref();
    worker.on('message', (reply: ListReply) => {
      this.#waiting.get(reply.n)?.resolve(reply);
      this.#waiting.delete(reply.n);
    });
    const lost = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    worker.on('error', lost);
    worker.on('exit', () => lost(new Error('the list worker has ended')));
    this.#generation++;
    return (this.#worker = worker);
  }
}
