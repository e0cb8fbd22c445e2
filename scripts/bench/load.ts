import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

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
  /** Threads of the generator (default 1). */
  threads?: number;
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
  max: number | null;
  /** How much of a core each thread of the generator took, 0 to 1: well below 1, or it was the limit. */
  busy: number;
}

function startGenerator(program: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, program)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // A generator that dies is noticed by its exit code.
  child.stdin.on('error', () => undefined);
  return child;
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error(`A load generator exited with ${child.exitCode}.`);
}

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const child = startGenerator('load.mjs');
  child.stdin.end(JSON.stringify(options));
  const [output] = await Promise.all([text(child.stdout), exited(child)]);
  return JSON.parse(output) as LoadResult;
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

/** Viewers of an event stream. Resolves when all are open, or refused; with `reopen`, at once. */
export async function openStreams(
  options: StreamOptions,
): Promise<{ stop: () => Promise<StreamResult> }> {
  const child = startGenerator('streams.mjs');
  child.stdin.write(`${JSON.stringify(options)}\n`);
  const lines = createInterface(child.stdout);
  const nextLine = async () => {
    const [line] = await Promise.race([
      once(lines, 'line') as Promise<string[]>,
      exited(child).then(() => ['']),
    ]);
    return line ?? '';
  };
  await nextLine();
  return {
    async stop() {
      child.stdin.end();
      return JSON.parse(await nextLine()) as StreamResult;
    },
  };
}
