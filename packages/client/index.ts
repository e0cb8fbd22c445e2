/** A typed client of the Mesh Registry’s REST interface and event streams, for Node, Deno, Bun and browsers. */
export { MeshRegistry } from './client.ts';
export type { ComputesFilter, HistoryDays, Lists } from './client.ts';
export type { Followed, FollowOptions, StreamEvent, Streams } from './follow.ts';
export type { PollOptions } from './poll.ts';
export type { ClientOptions, RequestOptions } from './request.ts';
export { unwrap } from './result.ts';
export type { Failure, Problem, Result, Success } from './result.ts';
export type * from './schemas.ts';
