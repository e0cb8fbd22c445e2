import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../figures.ts';

/** Single clients of the service, and how they fare. */

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Asked {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | URLSearchParams | undefined;
  /** The local address that it comes from. */
  from?: string | undefined;
}

/** Whoever has no answer by then has not got through. */
const PATIENCE_MS = 10_000;

/** The service tells clients apart by address: on Linux the loopback network has many of them. @param host the last two numbers */
export const clientAt = (host: string): string | undefined =>
  process.platform === 'linux' ? `127.0.${host}` : undefined;

/** One request, over a connection of its own. @throws if there is no answer in time */
export async function ask(url: string, { body = '', from, ...asked }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      ...asked,
      agent: false as const,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(from !== undefined && { localAddress: from }),
    };
    const request = httpRequest(url, options, (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      );
    });
    request.once('error', reject);
    if (typeof body !== 'string')
      request.setHeader('content-type', 'application/x-www-form-urlencoded');
    request.end(String(body));
  });
}

/** @param network the third number of their addresses */
export const clientsAt = (network: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => clientAt(`${network}.${n + 1}`) ?? '127.0.0.1');

export interface Fared {
  tried: number;
  /** How many were answered as they hoped. */
  through: number;
  /** Of those, from the moment at which each was due, milliseconds. NaN without any. */
  p50: number;
  max: number;
}

/**
 * Tries something again and again, whether or not the last attempt has ended.
 * @param attempt one that throws has not got through
 */
export async function tryAtRate(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  attempt: (n: number) => Promise<void>,
): Promise<Fared> {
  const startedAt = performance.now();
  const tried = Math.round(perSecond * seconds);
  const latencies: number[] = [];
  await Promise.all(
    Array.from({ length: tried }, async (_, n) => {
      const dueAt = startedAt + (n / perSecond) * 1000;
      await sleep(dueAt - performance.now());
      try {
        await attempt(n);
        latencies.push(performance.now() - dueAt);
      } catch {
        // It has not got through.
      }
    }),
  );
  const through = latencies.length;
  return { tried, through, p50: median(latencies), max: through ? Math.max(...latencies) : NaN };
}
