import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'hdr-histogram-js';
import type { LoadOptions } from './generator.ts';
import { Connection } from './connection.ts';
import { createRequests } from './requests.ts';

/** How long after the end an answer is waited for. One that still has not come then counts with its age. */
const GRACE_MS = 10_000;

/** Sends one load. Its connections have one request under way at a time. */
export async function sendLoad(options: LoadOptions) {
  const { url, headers, connections, seconds, rate, from } = options;
  const expected = 'if-none-match' in headers ? [304] : [200, 201];
  const nextRequest = createRequests(options);
  const latenciesUs = build();
  const count = { due: 0, answered: 0, bad: 0, refused: 0, late: 0 };
  const record = (ms: number) => latenciesUs.recordValue(Math.max(1, Math.round(ms * 1000)));
  let startedAt = 0;
  let endsAt = Infinity;
  let sent = 0;

  const onAnswer = (connection: Connection, status: number) => {
    const now = performance.now();
    record(now - connection.dueAt);
    if (!expected.includes(status)) {
      count.bad++;
      if (status === 429 || status === 503) count.refused++;
    } else if (now <= endsAt) count.answered++;
    onFree(connection);
  };
  const all = Array.from({ length: connections }, () => new Connection(url, onAnswer, from));
  await Promise.all(all.map((connection) => connection.open()));

  const free: Connection[] = [];
  const dueAt = (n: number) =>
    rate === undefined ? performance.now() : startedAt + (n / rate) * 1000;
  /** Sends what is due, as far as there are free connections: as many as possible, or at the rate. */
  const sendDue = () => {
    const now = performance.now();
    if (rate !== undefined)
      count.due = Math.floor(Math.min((now - startedAt) / 1000, seconds) * rate);
    else if (now < endsAt) count.due = sent + free.length;
    while (sent < count.due && free.length > 0) free.pop()?.send(nextRequest(), dueAt(++sent));
  };
  const onFree = (connection: Connection) => {
    free.push(connection);
    sendDue();
  };

  const cpu = process.cpuUsage();
  startedAt = performance.now();
  endsAt = startedAt + seconds * 1000;
  free.push(...all);
  sendDue();
  const timer = setInterval(sendDue, 1);
  await sleep(seconds * 1000);
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  sendDue();

  const deadline = performance.now() + GRACE_MS;
  while ((free.length < connections || sent < count.due) && performance.now() < deadline)
    await sleep(5);
  const now = performance.now();
  for (const connection of all) {
    if (connection.isBusy) {
      count.late++;
      record(now - connection.dueAt);
    }
    connection.close();
  }
  while (sent < count.due) {
    count.late++;
    record(now - dueAt(++sent));
  }
  return { ...count, latenciesUs, busy: (user + system) / 1e6 / seconds };
}
