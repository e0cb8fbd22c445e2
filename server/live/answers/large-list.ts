import { Deadlines } from '../replica/deadlines.ts';
import type { Bytes, Encoding } from './answer.ts';
import { pieces, type ListContext, type ListedAnswer, type ListOptions } from './list-layout.ts';
import type { ListResult, SentRow } from './list-worker-client.ts';
import type { PagedJson } from './paged-json.ts';

/** An answer that is this old is not given any more while a newer one is being made, milliseconds. */
const MAX_AGE_MS = 1000;
/** Making takes at most a tenth of a core: what took some time rests for nine times as long. */
const REST = 9;
/** Rows that are rendered in one turn of the event loop: one to two milliseconds. */
const SLICE = 1000;
/** After the worker has failed twice it is left alone for this long, milliseconds. */
const RETRY_MS = 10_000;

/** An answer that the worker made. Its bytes are fetched in the encodings that are asked for. */
interface WorkerAnswer<Mark> extends ListedAnswer<Mark> {
  /** The number of the request that made it. */
  number: number;
  bodies: Partial<Record<Encoding, Bytes | Promise<Bytes>>>;
}

/**
 * The answer of a list with thousands of rows. The list worker joins and compresses it: one answer at a time, however
 * many ask. The event loop renders only the rows that have changed.
 */
export class LargeList<Row extends { id: string }, Mark> {
  /** Rows that have changed since the worker got them. */
  #changed = new Set<string>();
  /** Until when (ms) each row that the worker has is right. */
  readonly #until = new Map<string, number>();
  readonly #deadlines = new Deadlines();
  #latest: ListedAnswer<Mark> | undefined;
  /** When the making of the newest answer began, and when the next may begin (ms, monotonic). */
  #latestAt = -Infinity;
  #notBefore = -Infinity;
  #making: Promise<ListedAnswer<Mark>> | undefined;
  /** The encodings asked for since the making of the newest answer began: the next one comes with them. */
  #wanted = new Set<Encoding>();
  #generation: number | undefined;

  /** @param fallback makes the answer without the worker */
  constructor(
    private readonly context: ListContext,
    private readonly options: ListOptions<Row, Mark>,
    private readonly rows: PagedJson<Row>,
    private readonly fallback: () => ListedAnswer<Mark>,
  ) {
    rows.dropPages();
  }

  /** Something about the row with this id has changed, or it is gone. */
  change(id: string): void {
    this.#changed.add(id);
  }

  answer(): ListedAnswer<Mark> | Promise<ListedAnswer<Mark>> {
    const now = performance.now();
    if (!this.#making && now >= this.#notBefore)
      this.#making = this.#makeSurely().finally(() => (this.#making = undefined));
    if (this.#latest && (!this.#making || now - this.#latestAt <= MAX_AGE_MS)) return this.#latest;
    return this.#making as Promise<ListedAnswer<Mark>>;
  }

  async #makeSurely(): Promise<ListedAnswer<Mark>> {
    // A worker that fails is replaced, and the next one gets a try as well.
    for (let attempt = 0; attempt < 2; attempt++) {
      const startedAt = performance.now();
      try {
        const made = await this.#make();
        this.#latestAt = startedAt;
        return (this.#latest = made);
      } catch (error) {
        this.#warn(error);
      }
    }
    this.#notBefore = performance.now() + RETRY_MS;
    this.#latestAt = performance.now();
    return (this.#latest = this.fallback());
  }

  /** @throws Error if the worker dies */
  async #make(): Promise<WorkerAnswer<Mark>> {
    const { id: list, name, frame } = this.options;
    const { listWorker: worker, clock } = this.context;
    if (worker.generation !== this.#generation) {
      this.#generation = worker.generation;
      for (const { id } of this.rows.slice(0, Infinity)) this.#changed.add(id);
    }
    // Rows and head must agree at the moment of the answer. So most rows are sent before it, in slices between which
    // the event loop does other work, and only the last ones at it.
    while (this.#stale(clock()).size > SLICE) {
      this.#send(clock());
      await new Promise(setImmediate);
    }
    const now = clock();
    while (this.#stale(now).size > 0) this.#send(now);
    const { layout, ...texts } = pieces(this.context, name, frame(now));
    this.#requireSameWorker();
    const encodings = [...this.#wanted];
    this.#wanted = new Set();
    const result = await worker.make(list, { ...texts, encodings });
    const made: WorkerAnswer<Mark> = {
      number: result.number,
      etag: result.etag,
      size: result.size,
      content: { layout },
      bodies: {},
      in: (encoding) => this.#in(made, encoding),
    };
    this.#store(made, result);
    return made;
  }

  /** The rows to be sent, with those that have changed by the passage of time. */
  #stale(now: number): Set<string> {
    for (const id of this.#deadlines.passed(now, (id) => this.#until.get(id)))
      this.#changed.add(id);
    return this.#changed;
  }

  /** What was sent is in the worker that is asked now. @throws Error if not */
  #requireSameWorker(): void {
    if (this.context.listWorker.generation !== this.#generation)
      throw new Error('the list worker was replaced');
  }

  /** Sends a slice of the changed rows. */
  #send(now: number): void {
    const { id: list, render, order } = this.options;
    const rows: SentRow[] = [];
    for (const id of this.#changed) {
      this.#changed.delete(id);
      const row = this.rows.get(id);
      let until = Infinity;
      if (row) {
        const json = render(row, now, (moment) => {
          if (moment < until) until = moment;
        });
        rows.push({ id, order: order(row), json });
        this.#until.set(id, until);
        this.#deadlines.expect(id, until);
      } else {
        rows.push({ id, order: 0, json: undefined });
        this.#until.delete(id);
      }
      if (rows.length === SLICE) break;
    }
    this.context.listWorker.send(list, rows);
  }

  #warn(error: unknown): void {
    this.context.log.warn({ err: error }, 'the list worker failed');
  }

  #in(made: WorkerAnswer<Mark>, encoding: Encoding): Bytes | Promise<Bytes> {
    this.#wanted.add(encoding);
    const known = made.bodies[encoding];
    if (known) return known;
    // The worker has the bytes of the newest answer only.
    if (this.#latest !== made && this.#latest) return this.#latest.in(encoding);
    const bytes = (async () => {
      try {
        this.#requireSameWorker();
        const result = await this.context.listWorker.encode(this.options.id, encoding);
        // Otherwise the worker has made a newer answer in the meantime.
        if (result.made === made.number) this.#store(made, result);
        else made.bodies[encoding] = await (await this.answer()).in(encoding);
        return made.bodies[encoding] as Bytes;
      } catch (error) {
        this.#warn(error);
        return await this.fallback().in(encoding);
      }
    })();
    return (made.bodies[encoding] = bytes);
  }

  #store(made: WorkerAnswer<Mark>, { bodies, ms }: ListResult): void {
    for (const [encoding, { buffer }] of Object.entries(bodies) as [
      Encoding,
      Uint8Array<ArrayBuffer>,
    ][])
      made.bodies[encoding] = { etag: made.etag, body: Buffer.from(buffer), encoding };
    const now = performance.now();
    this.#notBefore = Math.max(this.#notBefore, now) + REST * ms;
  }
}
