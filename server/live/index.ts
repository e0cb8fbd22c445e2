/** The read model in memory, and what makes answers and event streams of it. */
export {
  AnswerCache,
  COMPRESS_FROM,
  compress,
  digest,
  fixedAnswer,
  preferredEncoding,
  weakTag,
  type Answer,
  type AnswerContent,
  type AnswerWith,
  type Bytes,
  type Encoding,
} from './answers/answer.ts';
export { detailsTag, followed } from './replica/followed.ts';
export { Feed } from './replica/feed.ts';
export {
  ChangeStream,
  type Change,
  type Cursor,
  type EventFrame,
} from './replica/change-stream.ts';
export {
  conditionalUpsert,
  first,
  fixed,
  groupedUpsert,
  isFirstVersion,
  latest,
  mergeRow,
  replace,
  replaceUnlessNull,
  type Merge,
  type Merges,
  type RowWrite,
} from './writer/grouped-upsert.ts';
export { GroupWriter, type Committed } from './writer/group-writer.ts';
export { ListAnswer } from './answers/list-answer.ts';
export type { ListFrame } from './answers/list-layout.ts';
export { ListWorker } from './answers/list-worker-client.ts';
export {
  slicedAnswer,
  SlicedAnswers,
  type TextAsker,
  type TextPart,
  type TextParts,
} from './answers/sliced-answers.ts';
export { LiveTable } from './replica/live-table.ts';
export type { SimilarIds } from './replica/node-index.ts';
export { LiveModel } from './replica/read-model.ts';
export { Totals } from './replica/totals.ts';
export { Ticker } from './replica/ticker.ts';
