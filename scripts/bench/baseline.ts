import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { startServer, usageOf } from './processes.ts';

const BASELINE = join(import.meta.dirname, 'baseline.mjs');
/** Differ from one connection to the next, or are node:http's own. */
const TRANSPORT_HEADERS = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

/** An answer of the service, for the baseline to repeat. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Base64. */
  body: string;
}

/** Sends one request and keeps the answer as it came over the wire, still compressed. */
export async function record(
  url: string,
  options: { method?: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
): Promise<Answer> {
  const { statusCode, headers, body } = await request(url, options);
  const kept = Object.entries(headers).filter(([name]) => !TRANSPORT_HEADERS.includes(name));
  return {
    status: statusCode,
    headers: Object.fromEntries(kept),
    body: Buffer.from(await body.arrayBuffer()).toString('base64'),
  };
}

export interface Baseline {
  url: string;
  /** Processor time since the start, seconds; null where the system does not say. */
  cpuSeconds: () => number | null;
  stop: () => Promise<void>;
}

/** Starts a bare node:http server that answers a request with header `x-bench: name` with the answer of that name. */
export async function startBaseline(
  answers: Record<string, Answer>,
  processes: number,
): Promise<Baseline> {
  const directory = mkdtempSync(join(tmpdir(), 'mesh-bench-'));
  const file = join(directory, 'answers.json');
  writeFileSync(file, JSON.stringify(answers));
  const { printed, pid, stop } = await startServer([BASELINE, file, String(processes)], /^(\d+)$/);
  // It has been read.
  rmSync(directory, { recursive: true });
  return {
    url: `http://127.0.0.1:${printed}`,
    cpuSeconds: () => usageOf(pid)?.cpuSeconds ?? null,
    stop,
  };
}
