import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { webhookMessages } from '#db/schema/index.ts';
import { parseConfig } from '#server/config.ts';
import { createLog } from '#server/log.ts';
import type { WebhookMessage } from '#server/outbox/webhook-messages.ts';
import { createServices } from '#server/services.ts';
import { startHttpServer } from '../support/http-server.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { rounds } from '../support/rounds.ts';
import { createTestDatabase } from '../support/databases.ts';
import { endAllServers, startServerProcess } from '../support/server-process.ts';
import { SLOW } from '../support/slow.ts';
import { until } from '../support/until.ts';
import { expectNothingHalf, readAll } from './contents.ts';
import { post } from './support.ts';

/** The server is killed again and again while operators register and reviewers decide, undo and decide again. */

const ROUNDS = rounds(2);
const AUTH_SECRET = 'of a test: signs sessions over restarts';
const WEBHOOK_SECRET = 'of the receiver of a test';
const REGISTER = '/api/registry/register';

type Decision = 'accept' | 'reject';
interface Started {
  id: string;
  paymentNote: string;
}

afterEach(endAllServers);

describe(
  'a server that is killed while reviewers decide',
  { timeout: rounds(60_000) * SLOW },
  () => {
    it('leaves a consistent history, keeps each acknowledged decision, and reports all that stand to the webhook', async () => {
      const own = await createTestDatabase();
      const receiver = await startReceiver();
      const env = {
        ...own.env,
        AUTH_SECRET,
        REVIEW_WEBHOOK_URL: receiver.url,
        REVIEW_WEBHOOK_SECRET: WEBHOOK_SECRET,
      };
      const cookies = await reviewersIn(env);
      const load = new ReviewLoad(cookies);
      try {
        for (let round = 0; round < ROUNDS; round++) {
          const server = await startServerProcess(env);
          load.start(server.url);
          const before = load.decided.size;
          await until('reviewers have decided', () => load.decided.size >= before + 3);
          // The messages of some are due only in the next round.
          await sleep(500 + Math.random() * 1000);
          await server.end('SIGKILL');
          await load.stop();
        }
        const server = await startServerProcess(env);
        // It gets two messages for each decided registration; some arrive only after the restart.
        await until(
          'the webhook has the messages',
          () => receiver.messages.length > load.decided.size,
        );
        expect(await server.end('SIGTERM')).toBe(0);

        const database = await openDatabase({ databaseUrl: own.env.DATABASE_URL, dataDir: '' });
        const contents = await readAll(database);
        const untold = await database.db.select().from(webhookMessages);
        await database.close();
        expectNothingHalf(contents);

        const byNote = new Map(contents.registrations.map((row) => [row.paymentNote, row]));
        for (const [note, decision] of load.decided)
          expect(byNote.get(note)?.status, note).toBe(
            decision === 'accept' ? 'active' : 'rejected',
          );

        // A message that was being sent during a kill is sent again later: it is still stored, or has arrived.
        const kept = untold.map(({ body }) => JSON.parse(body) as WebhookMessage);
        const told = new Set(
          [...receiver.messages, ...kept].map(({ type, data }) => `${type} ${data.name}`),
        );
        for (const { status, name } of contents.registrations) {
          if (status !== 'pending_payment') expect(told).toContain(`registration.waiting ${name}`);
          if (status === 'active' || status === 'rejected')
            expect(told).toContain(`registration.decided ${name}`);
        }
        // A decision and its undoing leave no message, so there is one for each that stands.
        const decided = kept.filter(({ type }) => type === 'registration.decided');
        for (const { data } of decided)
          expect(byNote.get(data.paymentNote)?.status, data.name).toBe(data.status);
      } finally {
        await receiver.stop();
        endAllServers();
        await own.drop();
      }
    });
  },
);

/** Two reviewers, with sessions that survive restarts. */
async function reviewersIn(env: Record<string, string>): Promise<string[]> {
  const config = parseConfig(env);
  const database = await openDatabase(config);
  const services = await createServices({ config, database, log: createLog('error') });
  const emails = ['ada@example.org', 'grace@example.org'];
  const cookies: string[] = [];
  for (const email of emails) cookies.push((await signInReviewer(services, { email })).cookie);
  await services.stop();
  await database.close();
  return cookies;
}

/** Operators and reviewers who act continuously; remembers decisions that were acknowledged and not undone. */
class ReviewLoad {
  readonly decided = new Map<string, Decision>();
  #url = '';
  #stopped = false;
  #clients: Promise<void>[] = [];
  #names = 0;

  constructor(private readonly cookies: string[]) {}

  start(url: string): void {
    this.#url = url;
    this.#stopped = false;
    const repeat = async (step: () => Promise<void>) => {
      while (!this.#stopped)
        // Without an answer nothing is certain.
        await step().catch(() => sleep(20));
    };
    this.#clients = [
      ...[1, 2].map(() => repeat(() => this.#register())),
      ...this.cookies.map((cookie) => repeat(() => this.#review(cookie))),
    ];
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }

  async #register(): Promise<void> {
    const started = await this.#post<Started>(REGISTER, {
      action: 'start',
      name: `name-${++this.#names}`,
      nodeId: 'owner',
      kinds: ['node'],
    });
    await this.#post(REGISTER, { action: 'confirm', id: started.id });
    await sleep(10);
  }

  async #review(cookie: string): Promise<void> {
    const call = (procedure: string, input: object) =>
      this.#post(`/api/trpc/review.queue.${procedure}`, input, {
        headers: { cookie, origin: this.#url },
      });
    const waiting = await this.#waiting(cookie);
    const chosen = waiting[Math.floor(Math.random() * waiting.length)];
    if (!chosen) return sleep(20);
    const { note } = chosen;
    const decision = Math.random() < 0.6 ? 'accept' : 'reject';
    await call('decide', { note, decision, reason: 'no payment' });
    if (Math.random() > 0.3) return void this.decided.set(note, decision);
    // Forgotten, because an undo without an answer may have happened or not.
    await call('undo', { note });
  }

  async #waiting(cookie: string) {
    const response = await fetch(`${this.#url}/api/trpc/review.queue.list`, {
      headers: { cookie },
    });
    const { result } = (await response.json()) as {
      result: { data: { items: { note: string }[] } };
    };
    return result.data.items;
  }

  async #post<Answer>(path: string, body: object, init?: RequestInit): Promise<Answer> {
    const response = await post(this.#url, path, body, init);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return (await response.json()) as Answer;
  }
}

/** Receives the messages of the webhook. */
async function startReceiver() {
  const messages: WebhookMessage[] = [];
  const { url, stop } = await startHttpServer((request, response) => {
    void text(request)
      .then((body) => messages.push(JSON.parse(body) as WebhookMessage))
      // The server was killed while it was sending: it sends the message again.
      .catch(() => undefined)
      .finally(() => response.end());
  });
  return { url: `${url}/`, messages, stop };
}
