/** How an open page is connected to the service. */
export type Connection =
  /** As rendered by the server; the state of the stream isn't known yet. */
  | { state: 'starting' }
  /** Changes arrive as they happen. */
  | { state: 'live' }
  /** There is no stream; the page asks again every `everyMs` (10 s by default). */
  | { state: 'polling'; everyMs?: number }
  /** Disconnected: the data was right at `asOf` (ms, by the server's clock). */
  | { state: 'stale'; asOf: number; signedOut?: boolean };
