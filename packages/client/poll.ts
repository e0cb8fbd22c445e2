import { pause, type Call, type RequestOptions, type Transport } from './request.ts';
import type { Result } from './result.ts';

export interface PollOptions extends RequestOptions {
  /** How long to wait between two requests, milliseconds. Default: 20,000. */
  everyMs?: number | undefined;
}

/** While problems last, requests are up to this many times rarer. */
const SLOWER = 8;

/** See MeshRegistry.poll. */
export async function* poll<Value>(
  transport: Transport,
  path: string,
  query: Call['query'],
  { everyMs = 20_000, signal }: PollOptions,
): AsyncGenerator<Result<Value>, void, undefined> {
  let etag: string | null = null;
  let problem: string | null = null;
  for (let slower = 1; ;) {
    const headers: Record<string, string> = etag ? { 'if-none-match': etag } : {};
    const call = { method: 'GET', path, query, headers, signal, isList: true } as const;
    const result = await transport.send<Value>(call);
    if (signal?.aborted) return;
    let waitMs = everyMs;
    if (result.ok) {
      slower = 1;
      etag = result.headers.get('etag');
      // The same list after a problem is news: it ends the problem. Only 304 says that nothing has changed.
      problem = null;
      if (result.status !== 304) yield result;
    } else {
      slower = Math.min(SLOWER, slower * 2);
      waitMs *= slower;
      if ('retryAfterMs' in result.problem)
        waitMs = Math.max(waitMs, result.problem.retryAfterMs ?? 0);
      if (result.problem.message !== problem) yield result;
      problem = result.problem.message;
    }
    if (!(await pause(waitMs, signal))) return;
  }
}
