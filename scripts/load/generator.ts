import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { build, decodeFromCompressedBase64 } from 'hdr-histogram-js';
import type { Call, Methods, Outcome } from './process.ts';

/**
 * The load of `npm run bench`, from processes of its own, over plain sockets: undici's Pool takes 36 to 43 µs of
 * processor time for a heartbeat, and these sockets 12 to 15. The bare server that the service is compared with takes
 * 24 to 30, so undici would be the limit that is measured.
 */

export interface LoadOptions {
  /** `{n}` in it stands for a random number below `nodes`. */
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  connections: number;
  seconds: number;
  /** Requests per second, whatever the answers (an open loop); as many as possible if left out. */
  rate?: number;
  /** A POST load sends the heartbeats of so many nodes, in random order. */
  nodes: number;
  /** Each heartbeat is signed by a key of its node. */
  signed?: boolean;
  /** Processes that share the connections and the rate (default 1). */
  processes?: number;
}

export interface LoadResult {
  /** Answers as expected, within the time. */
  perSecond: number;
  answered: number;
  /** Requests that were to be sent. */
  due: number;
  /** Errors, and unexpected status codes. */
  bad: number;
  /** Without an answer 10 s after the end. They count in the latencies with their age. */
  late: number;
  /** Milliseconds; null without a request. At a given rate, from the moment at which the request was due. */
  p50: number | null;
  p99: number | null;
  /** How much of a core each process of the generator took, 0 to 1: well below 1, or it was the limit. */
  busy: number;
}

export interface StreamOptions {
  url: string;
  connections: number;
  /** Each connection closes its stream once it has the first list, and opens another one. */
  reopen: boolean;
}

export interface StreamResult {
  /** Streams that are open at the end. */
  open: number;
  /** Closed by the service. */
  lost: number;
  /** Opened without status 200. */
  refused: number;
  /** First lists received. */
  perSecond: number;
  megabytesPerSecond: number;
  /** To the end of the first list, milliseconds. */
  p50: number;
  p99: number;
  busy: number;
}

/** For the next load: what they have compiled stays compiled. They end with this process, which closes their channel. */
const idle: ChildProcess[] = [];

async function withProcess<Value>(use: (child: ChildProcess) => Promise<Value>): Promise<Value> {
  const child = idle.pop() ?? fork(join(import.meta.dirname, 'process.ts'));
  const value = await use(child);
  child.unref();
  child.channel?.unref();
  idle.push(child);
  return value;
}

function call<Name extends keyof Methods>(
  child: ChildProcess,
  name: Name,
  ...args: Parameters<Methods[Name]>
): Promise<Awaited<ReturnType<Methods[Name]>>> {
  child.ref();
  child.channel?.ref();
  return new Promise((resolve, reject) => {
    const exited = (code: number | null) =>
      reject(new Error(`A load generator exited with ${code}.`));
    child.once('exit', exited);
    child.once('message', (outcome: Outcome) => {
      child.off('exit', exited);
      if ('error' in outcome) reject(new Error(outcome.error));
      else resolve(outcome.value as Awaited<ReturnType<Methods[Name]>>);
    });
    child.send({ name, args } satisfies Call);
  });
}

export async function runLoad({ processes = 1, ...options }: LoadOptions): Promise<LoadResult> {
  const share: LoadOptions = {
    ...options,
    connections: Math.ceil(options.connections / processes),
    ...(options.rate !== undefined && { rate: options.rate / processes }),
  };
  const shares = await Promise.all(
    Array.from({ length: processes }, () => withProcess((child) => call(child, 'load', share))),
  );
  const latencies = build();
  for (const { latenciesUs } of shares) latencies.add(decodeFromCompressedBase64(latenciesUs));
  const percentile = (percent: number) =>
    latencies.totalCount > 0 ? latencies.getValueAtPercentile(percent) / 1000 : null;
  const sum = (name: 'answered' | 'due' | 'bad' | 'late' | 'busy') =>
    shares.reduce((total, each) => total + each[name], 0);
  return {
    perSecond: sum('answered') / options.seconds,
    answered: sum('answered'),
    due: sum('due'),
    bad: sum('bad'),
    late: sum('late'),
    p50: percentile(50),
    p99: percentile(99),
    busy: sum('busy') / processes,
  };
}

/** Viewers of an event stream, while `use` runs: from when all are open, or refused; with `reopen`, at once. */
export const withStreams = <Value>(
  options: StreamOptions,
  use: () => Promise<Value>,
): Promise<[Value, StreamResult]> =>
  withProcess(async (child) => {
    await call(child, 'openStreams', options);
    return [await use(), await call(child, 'closeStreams')];
  });
