import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ANSWERS_MAX,
  QUESTION_TEXT_MAX,
  QUESTIONS_MAX,
} from '@mesh-registry/protocol/values.schema.ts';
import { expectError, freshId, getJson, postJson, type Json } from '../contract/contract.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { accept, reject } from '../support/decisions.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { signInReviewer } from '../support/reviewer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { expectRefused, registered, trpcOf, type Registered } from './support.ts';

const REGISTER = '/api/registry/register';
const ADA = 'ada@example.org';
const WHO = 'Who paid for this name?';
const JANE = 'Jane Doe did.';

describe('questions about a registration', () => {
  const clock = new FakeClock();
  let database: TestDatabase;
  let server: TestServer;
  let other: TestServer;
  let ada: ReturnType<typeof trpcOf>;
  beforeAll(async () => {
    database = await createTestDatabase();
    const start = () =>
      startTestServer({ env: { ...database.env, RATE_LIMITS: 'off' }, clock: clock.read });
    [server, other] = [await start(), await start()];
    ada = trpcOf(server, (await signInReviewer(server.services)).cookie);
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
    await database.drop();
  });

  const waiting = () => registered(server.services, freshId('name'));
  const ask = ({ note }: Registered, text = WHO) => ada.review.queue.ask.mutate({ note, text });
  const record = ({ id }: Registered, at = server): Promise<Json> =>
    getJson(at, `${REGISTER}?id=${id}`);
  const body = ({ id }: Registered, questionId: string, text: string) => ({
    action: 'answer',
    id,
    questionId,
    text,
  });
  const answer = (of: Registered, questionId: string, text = JANE): Promise<Json> =>
    postJson(server, REGISTER, body(of, questionId, text), 200);
  /** @param at the field at fault; without one, the state of the registration is */
  const refused = async (of: Registered, questionId: string, text: string, at?: string) => {
    const response = await server.post(REGISTER, body(of, questionId, text));
    await (at === undefined
      ? expectError(server, response, 409, 'invalid_state')
      : expectError(server, response, 400, 'invalid_body', [at]));
  };
  const events = async ({ id }: Registered) =>
    (await server.services.registration.status(id)).timeline?.map(({ event, by }) => [event, by]);

  test('a reviewer asks and the operator answers, by REST and by the typed API; no name goes to the operator', async () => {
    const one = await waiting();
    expect(await record(one)).not.toHaveProperty('questions');
    clock.advance(60_000);
    const { questions } = await ask(one, `  Who paid\nfor this \u202ename?  `);
    const [asked] = questions;
    expect(questions).toEqual([
      {
        id: expect.stringMatching(/^q_/),
        at: clock.iso(),
        text: 'Who paid for this  name?',
        answers: [],
        by: ADA,
      },
    ]);
    const { by: _, ...shown } = asked as Json;
    expect(await record(one)).toMatchObject({ status: 'pending_review', questions: [shown] });
    clock.advance(60_000);
    const answered = await answer(one, shown.id);
    const first = { at: clock.iso(), text: JANE };
    expect(answered.questions).toEqual([{ ...shown, answers: [first] }]);
    expect(answered.pageUrl).toContain(one.id);
    clock.advance(60_000);
    const more = { id: one.id, questionId: shown.id, text: 'From my sister’s account.' };
    const second = { at: clock.iso(), text: more.text };
    expect((await trpcOf(server, null).registry.answer.mutate(more)).questions).toEqual([
      { ...shown, answers: [first, second] },
    ]);
    const followed = await server.services.registration.status(one.id);
    expect(followed).toMatchObject({
      questionsKnown: true,
      registration: { questions: [{ ...shown, answers: [first, second] }] },
    });
    expect(JSON.stringify([answered, followed])).not.toContain('ada');
    expect((await record(one, other)).questions).toEqual((await record(one)).questions);
    expect((await ada.review.queue.get.query({ note: one.note })).registration).toMatchObject({
      questions: [{ ...shown, answers: [first, second], by: ADA }],
      asked: 'answered',
    });
  });

  test('the place in the queue stays, the timeline and the history have both, and the queue hears of an answer', async () => {
    const [one, two] = [await waiting(), (clock.advance(1000), await waiting())];
    const open = await ada.review.queue.list.query({});
    const order = open.items.map(({ note }) => note);
    const before = (await server.services.registration.status(one.id)).queue;
    const abort = new AbortController();
    const heard: unknown[] = [];
    const session = { id: 'none' };
    const changes = server.services.review.changes(session.id, abort.signal);
    const listening = (async () => {
      for await (const change of changes) heard.push(change);
    })();
    await until('the queue to hear of it', () => heard.length === 1);
    const { questions } = await ask(one);
    await until('the queue to hear of it', () => heard.length === 2);
    const list = await ada.review.queue.list.query({ open: one.note });
    expect(list.items.map(({ note }) => note)).toEqual(order);
    expect(list.items.find(({ note }) => note === one.note)?.asked).toBe('open');
    expect(list.items.find(({ note }) => note === two.note)?.asked).toBeNull();
    expect(list.open?.questions).toEqual(questions);
    await answer(one, questions[0]?.id ?? '');
    await until('the queue to hear of it', () => heard.length === 3);
    abort.abort();
    await listening;
    expect((await server.services.registration.status(one.id)).queue).toEqual(before);
    expect(await events(one)).toEqual([
      ['started', 'operator'],
      ['confirmed', 'operator'],
      ['asked', 'reviewer'],
      ['answered', 'operator'],
    ]);
    for (const event of ['asked', 'answered'] as const) {
      const { entries } = await ada.review.history.page.query({ q: one.note, event });
      expect(entries).toMatchObject([
        { event, note: one.note, actor: event === 'asked' ? ADA : 'operator' },
      ]);
    }
    const corrected = await ada.review.history.page.query({ q: one.note, event: 'corrected' });
    expect(corrected.entries).toEqual([]);
  });

  test('the same text again is the same question and the same answer, also twice at once and once it is decided', async () => {
    const one = await waiting();
    const asked = await Promise.all([ask(one), ask(one), ask(one)]);
    const [question] = asked[0].questions;
    const id = question?.id ?? '';
    expect(asked.map(({ questions }) => questions)).toEqual([[question], [question], [question]]);
    const answers = await Promise.all([answer(one, id), answer(one, id), answer(one, id)]);
    for (const { questions } of answers) expect(questions[0].answers).toHaveLength(1);
    expect(await events(one)).toHaveLength(4);
    await accept(server.services, { id: one.id, reviewer: ADA });
    expect(await answer(one, id)).toMatchObject({
      status: 'active',
      questions: [{ answers: [{ text: JANE }] }],
    });
    await refused(one, id, 'Something else.');
    expect((await ask(one)).questions).toHaveLength(1);
  });

  test('only about one that waits for review; afterwards it stays to be read', async () => {
    const unpaid = await registered(server.services, freshId('name'), { confirmed: false });
    await expect(ask(unpaid)).rejects.toMatchObject({ data: { code: 'invalid_state' } });
    const one = await waiting();
    const { questions } = await ask(one);
    await reject(server.services, { id: one.id, reviewer: ADA, reason: 'no answer' });
    await expect(ask(one, 'And now?')).rejects.toMatchObject({ data: { code: 'invalid_state' } });
    await refused(one, questions[0]?.id ?? '', JANE);
    expect((await record(one)).questions).toHaveLength(1);
  });

  test('texts, questions and answers have their limits', async () => {
    const one = await waiting();
    for (const text of ['', ' \u200b ', 'x'.repeat(QUESTION_TEXT_MAX + 1)])
      await expect(ask(one, text)).rejects.toMatchObject({
        data: {
          code: 'invalid_body',
          issues: [{ path: 'text', message: `must have 1 to ${QUESTION_TEXT_MAX} characters` }],
        },
      });
    const longest = 'ß'.repeat(QUESTION_TEXT_MAX);
    const { questions } = await ask(one, longest);
    const id = questions[0]?.id ?? '';
    for (let n = 1; n < QUESTIONS_MAX; n++) await ask(one, `Question ${n}?`);
    await expect(ask(one, 'One more?')).rejects.toMatchObject({ data: { code: 'invalid_state' } });
    for (const text of ['', '\u0000', 'x'.repeat(QUESTION_TEXT_MAX + 1)])
      await refused(one, id, text, 'text');
    await answer(one, id, longest);
    for (let n = 1; n < ANSWERS_MAX; n++) await answer(one, id, `Answer ${n}.`);
    await refused(one, id, 'One more.');
    const full = await record(one);
    expect(full.questions).toHaveLength(QUESTIONS_MAX);
    expect(full.questions[0].answers.map(({ text }: Json) => text)).toEqual([
      longest,
      ...Array.from({ length: ANSWERS_MAX - 1 }, (_, n) => `Answer ${n + 1}.`),
    ]);
  });

  test('an answer needs a question of the same registration', async () => {
    const [one, two] = [await waiting(), await waiting()];
    const { questions } = await ask(two);
    for (const questionId of [questions[0]?.id ?? '', 'q_unknown', '\u0000'])
      await refused(one, questionId, JANE, 'questionId');
    const nobody = { ...one, id: `reg_${'x'.repeat(24)}` };
    const missing = await server.post(REGISTER, body(nobody, 'q_unknown', JANE));
    await expectError(server, missing, 404, 'not_found');
  });

  test('strangers ask nobody', async () => {
    const one = await waiting();
    await expectRefused([
      trpcOf(server, null).review.queue.ask.mutate({ note: one.note, text: WHO }),
    ]);
    expect(await record(one)).not.toHaveProperty('questions');
  });
});

test('answers count for the limit of a client, as every change of a registration', async () => {
  const server = await startTestServer({ limits: { registration: { points: 3, seconds: 600 } } });
  try {
    const one = await registered(server.services, 'garage');
    const sent = { action: 'answer', id: one.id, questionId: 'q_unknown', text: JANE };
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await server.post(REGISTER, sent)).status);
    expect(statuses).toEqual([400, 400, 400, 429]);
    const { action: _, ...typed } = sent;
    expect((await server.post('/api/trpc/registry.answer', typed)).status).toBe(429);
  } finally {
    await server.stop();
  }
});
