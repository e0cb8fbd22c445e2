import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { processAndChildren, signal } from '../support/processes.ts';
import { SLOW } from '../support/slow.ts';

export const post = (url: string, path: string, body: unknown, init: RequestInit = {}) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000 * SLOW),
    ...init,
    headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
  });

export async function getJson<Answer>(url: string, path: string): Promise<Answer> {
  const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(10_000 * SLOW) });
  expect(response.status, path).toBe(200);
  return (await response.json()) as Answer;
}

/** Stops every process of a PostgreSQL server (SIGSTOP), and returns which. */
export function freezePostgres(directory: string): number[] {
  // Twice: the postmaster may have started another child while the first list was read. Now it cannot.
  signal(postgresProcesses(directory), 'SIGSTOP');
  const pids = postgresProcesses(directory);
  signal(pids, 'SIGSTOP');
  return pids;
}

/** The process ids of a PostgreSQL server: the postmaster first, then its children. */
export function postgresProcesses(directory: string): number[] {
  const [postmaster] = readFileSync(join(directory, 'postgres', 'postmaster.pid'), 'utf8').split(
    '\n',
  );
  return processAndChildren(Number(postmaster));
}
