/** The read model in memory, and what makes answers and event streams of it. */
export {
  AnswerCache,
  compress,
  digest,
  fixedAnswer,
  weakTag,
  type Answer,
  type CachedAnswer,
  type Content,
  type Encoded,
  type FixedAnswer,
} from './answer.ts';
export { Feed } from './feed.ts';
export {
  ChangeStream,
  type Change,
  type Cursor,
  type Frame as EventFrame,
} from './change-stream.ts';
export {
  first,
  fixed,
  groupedUpsert,
  isFirstVersion,
  latest,
  replace,
  replaceUnlessNull,
  type RowWrite,
} from './grouped-upsert.ts';
export { GroupWriter, type GroupObserver } from './group-writer.ts';
export { ListAnswer } from './list-answer.ts';
export type { Frame, ListedAnswer } from './list-layout.ts';
export { ListWorker } from './list-worker-client.ts';
export { LiveTable } from './live-table.ts';
export { LiveModel } from './read-model.ts';
export { RunningTally } from './running-tally.ts';
export { Ticker } from './ticker.ts';
