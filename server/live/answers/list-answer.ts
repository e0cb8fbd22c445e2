import { AnswerCache, weakTag, type AnswerContent } from './answer.ts';
import { LargeList } from './large-list.ts';
import {
  pieces,
  type Layout,
  type ListContext,
  type ListedAnswer,
  type ListOptions,
} from './list-layout.ts';
import { PagedJson } from './paged-json.ts';

/** A public list as a GET answer: a head and ordered rows, as JSON. */
export class ListAnswer<Row extends { id: string }, Mark = null> {
  readonly #rows: PagedJson<Row>;
  readonly #cache: AnswerCache<AnswerContent & { layout: Layout<Mark> }>;
  #large: LargeList<Row, Mark> | undefined;

  constructor(
    private readonly context: ListContext,
    private readonly options: ListOptions<Row, Mark>,
  ) {
    this.#rows = new PagedJson(options);
    this.#cache = new AnswerCache({
      version: options.version,
      clock: context.clock,
      make: (now) => this.#make(now),
    });
  }

  set(row: Row): void {
    this.#rows.set(row);
    this.#large?.change(row.id);
  }

  delete(id: string): void {
    this.#rows.delete(id);
    this.#large?.change(id);
  }

  /** Something that the row depends on has changed elsewhere. */
  touch(id: string): void {
    this.#rows.touch(id);
    this.#large?.change(id);
  }

  /** Rows `offset` to `offset + limit`, including those that `render` leaves out. */
  slice(offset: number, limit: number): Row[] {
    return this.#rows.slice(offset, limit);
  }

  /** The answer now; of a large list, one that is at most about a second old. */
  answer(): ListedAnswer<Mark> | Promise<ListedAnswer<Mark>> {
    if (!this.#large && this.#rows.size >= this.context.listWorker.fromRows)
      this.#large = new LargeList(this.context, this.options, this.#rows, () => {
        const answer = this.#cache.get();
        this.#rows.dropPages();
        return answer;
      });
    return this.#large ? this.#large.answer() : this.#cache.get();
  }

  /** The bytes of the newest answer, with what is in them. */
  async whole(): Promise<{ json: Buffer; layout: Layout<Mark> }> {
    const answer = await this.answer();
    const { etag, body, encoding } = await answer.in('identity');
    if (etag === answer.etag && encoding === 'identity' && body.length === answer.size)
      return { json: body, layout: answer.content.layout };
    // The bytes are those of an answer that was made meanwhile.
    return this.whole();
  }

  #make(now: number): AnswerContent & { layout: Layout<Mark> } {
    const { chunks, digests, until } = this.#rows.at(now);
    const frame = this.options.frame(now);
    const { before, after, tag, layout } = pieces(this.context, this.options.name, frame);
    return {
      json: Buffer.concat([Buffer.from(before), ...chunks, Buffer.from(after)]),
      etag: weakTag([...digests, tag]),
      until: Math.min(until, frame.until ?? Infinity),
      layout,
    };
  }
}
