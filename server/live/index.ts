/** The read model in memory, and what makes answers and event streams of it. */
export {
  AnswerCache,
  fixedAnswer,
  type Answer,
  type Content,
  type Encoding,
} from './answer-cache.ts';
export { Feed } from './feed.ts';
export { ChangeStream, type Change } from './change-stream.ts';
export {
  first,
  fixed,
  groupedUpsert,
  latest,
  replace,
  replaceUnlessNull,
  type RowWrite,
} from './grouped-upsert.ts';
export { GroupWriter, type GroupObserver } from './group-writer.ts';
export { PagedJson } from './paged-json.ts';
export { LiveModel } from './read-model.ts';
export { Ticker } from './ticker.ts';
