import { createParser } from 'eventsource-parser';
import { pause, type RequestOptions, type Transport } from './request.ts';
import { AnswerTooLong } from './answer.ts';
import type { Failure, Problem } from './result.ts';
import type { Compute, Computes, Mesh, Peer } from './schemas.ts';

/** The event streams, with what their events hold. */
export interface Streams {
  /** Rows are nodes, by `id`. */
  mesh: { head: Omit<Mesh, 'peers'>; row: Peer };
  /** Rows are compute offers, by `id`. */
  computes: { head: Omit<Computes, 'computes'>; row: Compute };
}

export interface StreamEvent<Name extends keyof Streams> {
  /** `snapshot`: `rows` is the whole list. `changes`: only the rows that changed. */
  type: 'snapshot' | 'changes';
  /** Everything of the list but its rows. */
  head: Streams[Name]['head'];
  rows: Streams[Name]['row'][];
  /** Ids of rows that have left the list. */
  removed: string[];
}

export type Followed<Name extends keyof Streams> = { ok: true; value: StreamEvent<Name> } | Failure;

export interface FollowOptions extends RequestOptions {
  /** A connection that carries nothing for so long is opened anew, milliseconds. Default: 60,000. */
  silenceMs?: number | undefined;
}

const PATHS = {
  mesh: 'api/trpc/mesh.changes',
  computes: 'api/trpc/computes.changes',
} satisfies Record<keyof Streams, string>;

const FIRST_BACK_OFF_MS = 500;
const MAX_BACK_OFF_MS = 30_000;

/** See MeshRegistry.follow. */
export async function* follow<Name extends keyof Streams>(
  transport: Transport,
  stream: Name,
  { signal, silenceMs = 60_000 }: FollowOptions,
): AsyncGenerator<Followed<Name>, void, undefined> {
  let lastEventId: string | null = null;
  let problem: string | null = null;
  for (let failures = 0; !signal?.aborted;) {
    let waitMs = 0;
    try {
      for await (const { id, data } of connect(
        transport,
        PATHS[stream],
        lastEventId,
        silenceMs,
        signal,
      )) {
        failures = 0;
        problem = null;
        yield { ok: true, value: transport.parseEvent<StreamEvent<Name>>(data) };
        // Set only after the yield: an event that the caller did not get is asked for again.
        lastEventId = id;
      }
    } catch (error) {
      if (signal?.aborted) return;
      const failed = error instanceof Refused ? error.problem : transport.thrown(error);
      if (failed.message !== problem) yield { ok: false, problem: failed };
      problem = failed.message;
      waitMs = 'retryAfterMs' in failed ? (failed.retryAfterMs ?? 0) : 0;
    }
    // A server that stops ends its streams: the next one is there at once, or is waited for.
    const backOff = Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** failures++);
    if (!(await pause(Math.max(waitMs, backOff * (0.5 + Math.random())), signal))) return;
  }
}

/** The stream was answered with an error. */
class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

/** The events of one connection. @throws Refused, or whatever fetch does */
async function* connect(
  transport: Transport,
  path: string,
  lastEventId: string | null,
  silenceMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ id: string; data: string }, void, undefined> {
  const ending = new AbortController();
  const abort = () => ending.abort();
  signal?.addEventListener('abort', abort, { once: true });
  let silence = setTimeout(abort, silenceMs);
  try {
    const input = lastEventId === null ? {} : { input: JSON.stringify({ lastEventId }) };
    const response = await transport.open(path, input, ending.signal);
    if (!response.ok || !response.body) throw new Refused(await transport.problemOf(response));
    const events: { id: string; data: string }[] = [];
    /** What has come of an event that has not ended. */
    let bytes = 0;
    const parser = createParser({
      // tRPC’s own events (connected, ping, return) carry no id.
      onEvent: ({ id, data }) => {
        bytes = 0;
        if (id !== undefined) events.push({ id, data });
      },
    });
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(abort, silenceMs);
      bytes += value.byteLength;
      if (bytes > transport.maxEventBytes)
        throw new AnswerTooLong(response.status, transport.maxEventBytes);
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener('abort', abort);
    ending.abort();
  }
}
