import { fork } from 'node:child_process';
import { join } from 'node:path';
import { build, decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { callsOf } from '../calls.ts';
import type { CrawlerOptions, CrawlerResult } from './attacks/crawler.ts';
import type { HeldOptions, HeldResult } from './attacks/held.ts';
import type { PeerFloodOptions, PeerFloodResult } from './attacks/peer-flood.ts';
import type { LoadFunctions } from './process.ts';

/**
 * The load of `npm run bench`, from processes of its own, over plain sockets: undici takes 33 µs of processor time for a
 * heartbeat by `dispatch` and 40 by its Pool, these sockets 12 to 20. The bare server that the service is compared with
 * takes 24 to 30, so undici would be the limit that is measured.
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
  /** The local address that it comes from, by which the service tells clients apart. */
  from?: string | undefined;
}

export interface LoadResult {
  /** Answers as expected, within the time. */
  perSecond: number;
  answered: number;
  /** Errors, and unexpected status codes; of these, how many were 429 or 503. */
  bad: number;
  refused: number;
  /** Without an answer 10 s after the end. They count in the latencies with their age. */
  late: number;
  /** Milliseconds; NaN without a request. At a given rate, from the moment at which the request was due. */
  p50: number;
  p99: number;
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
  /** Opened without status 200. */
  refused: number;
  /** First lists received. */
  perSecond: number;
  megabytesPerSecond: number;
  /** To the end of the first list, milliseconds. */
  p50: number;
  busy: number;
}

/** What attackers do, each in a process of its own, until they are told to end. */
export interface Attacks {
  held: { options: HeldOptions; result: HeldResult };
  crawler: { options: CrawlerOptions; result: CrawlerResult };
  peerFlood: { options: PeerFloodOptions; result: PeerFloodResult };
  readers: { options: LoadOptions; result: Pick<LoadResult, 'answered' | 'bad' | 'refused'> };
}

type Call = ReturnType<typeof startProcess>;
/** For the next load: what they have compiled stays compiled. They end with this process, which closes their channel. */
const idle: Call[] = [];
const idleAttackers: Call[] = [];

function startProcess() {
  const child = fork(join(import.meta.dirname, 'process.ts'));
  // The service that is measured keeps this process alive as long as necessary.
  child.unref();
  child.channel?.unref();
  return callsOf<LoadFunctions>(child, 'A load generator');
}

async function withProcess<Value>(use: (call: Call) => Promise<Value>): Promise<Value> {
  const call = idle.pop() ?? startProcess();
  const value = await use(call);
  idle.push(call);
  return value;
}

export async function runLoad({ processes = 1, ...options }: LoadOptions): Promise<LoadResult> {
  const share: LoadOptions = {
    ...options,
    connections: Math.ceil(options.connections / processes),
    ...(options.rate !== undefined && { rate: options.rate / processes }),
  };
  const shares = await Promise.all(
    Array.from({ length: processes }, () => withProcess((call) => call('load', share))),
  );
  const latencies = build();
  for (const { latenciesUs } of shares) latencies.add(decodeFromCompressedBase64(latenciesUs));
  const percentile = (percent: number) =>
    latencies.totalCount > 0 ? latencies.getValueAtPercentile(percent) / 1000 : NaN;
  const sum = (name: 'answered' | 'bad' | 'refused' | 'late' | 'busy') =>
    shares.reduce((total, each) => total + each[name], 0);
  return {
    perSecond: sum('answered') / options.seconds,
    answered: sum('answered'),
    bad: sum('bad'),
    refused: sum('refused'),
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
  withProcess(async (call) => {
    await call('openStreams', options);
    return [await use(), await call('closeStreams')];
  });

/** Begins an attack. Resolves, when it has begun in full, with what ends it and says what it has done. */
export async function startAttack<Name extends keyof Attacks>(
  name: Name,
  options: Attacks[Name]['options'],
): Promise<() => Promise<Attacks[Name]['result']>> {
  const call = idleAttackers.pop() ?? startProcess();
  await call('attack', name, options);
  return async () => {
    const result = await call('endAttack');
    idleAttackers.push(call);
    return result;
  };
}
