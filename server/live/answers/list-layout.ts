import type { Logger } from 'pino';
import type { AnswerWith } from './answer.ts';
import type { ListWorker } from './list-worker-client.ts';
import type { PagedJsonOptions } from './paged-json.ts';

/** The answer around its rows, at one moment. */
export interface ListFrame<Mark> {
  /** A JSON object; the list becomes its last property. */
  head: { updatedAt: string };
  /** JSON of what follows the list in the object, with a leading comma; may be empty. */
  tail?: string;
  /** All this is right up to and including this moment (ms), unless `version()` changes. */
  until?: number;
  /** Where in the changes of its tables the answer stands. */
  mark: Mark;
}

export interface ListOptions<Row, Mark> extends PagedJsonOptions<Row> {
  /** Tells it apart from other lists. */
  id: string;
  /** The property of the answer that holds it. */
  name: string;
  frame: (now: number) => ListFrame<Mark>;
  /** Changes whenever the answer may have changed, except by the passage of time. */
  version: () => string;
}

/** What all lists of this process have in common. */
export interface ListContext {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly listWorker: ListWorker;
  readonly log: Pick<Logger, 'warn'>;
  /** Clients ask anew when the read model becomes degraded, and when it no longer is: the tag changes. */
  readonly live: { degraded(): boolean };
}

/** What is in the bytes of an answer. */
export interface Layout<Mark> {
  /** JSON of the head. */
  head: string;
  /** Bytes before the rows and after them. */
  before: number;
  after: number;
  mark: Mark;
}

/** A list as an answer. */
export type ListedAnswer<Mark> = AnswerWith<{ layout: Layout<Mark> }>;

/** The pieces of an answer around its rows. `tag` stands for them in the tag of the content: it has no `updatedAt`. */
export function pieces<Mark>(
  { live }: ListContext,
  name: string,
  { head, tail = '', mark }: ListFrame<Mark>,
) {
  const json = JSON.stringify(head);
  const before = `${json.slice(0, -1)},${JSON.stringify(name)}:[`;
  const after = `]${tail}}`;
  return {
    before,
    after,
    tag: `${live.degraded() ? 'degraded' : ''}${before.replace(JSON.stringify(head.updatedAt), '')}${after}`,
    layout: {
      head: json,
      before: Buffer.byteLength(before),
      after: Buffer.byteLength(after),
      mark,
    } satisfies Layout<Mark>,
  };
}
