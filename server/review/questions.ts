import { randomBytes } from 'node:crypto';
import { ASKED_REASON, QUESTIONS_MAX } from '@mesh-registry/protocol/values.schema.ts';
import { registrationQuestions } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import type { ServiceContext } from '#server/context.ts';
import { enqueueQuestion } from '#server/outbox/index.ts';
import { changeRegistration, readQuestions, type Asked } from '#server/registration/index.ts';
import { readByNote } from './decisions.ts';

export interface NewQuestion {
  /** The registration's payment note. */
  note: string;
  /** The reviewer's address. */
  reviewer: string;
  /** Its operator reads it, without the reviewer's name. */
  text: string;
}

/**
 * Asks the operator of a registration that waits for review, which stays where it is in the queue. The same text again
 * is the same question, so a form that is sent twice asks once.
 * @returns all questions about the registration, the oldest first
 * @throws AppError `not_found`, `invalid_state` (it doesn't wait for review, or has all the questions it can have),
 *   `unavailable`
 */
export async function ask(
  context: ServiceContext,
  { note, reviewer, text }: NewQuestion,
  now = context.clock(),
): Promise<{ questions: Asked[] }> {
  const row = await readByNote(context.db, note);
  const read = async (db = context.db) => (await readQuestions(db, [row.id])).get(row.id) ?? [];
  const isAsked = (questions: Asked[]) => questions.some((each) => each.text === text);
  const known = await withRetry(() => read());
  if (isAsked(known)) return { questions: known };
  // Sent twice at once: the second one finds the question in its transaction, and changes nothing.
  let isRepeated = false;
  await changeRegistration(
    context,
    { id: row.id },
    now,
    ({ status }) => {
      if (status !== 'pending_review')
        throw new AppError(
          'invalid_state',
          'You can only ask while the registration waits for review.',
        );
      return { to: 'pending_review', actor: reviewer, reason: ASKED_REASON };
    },
    async (tx, after) => {
      const questions = await read(tx);
      isRepeated = isAsked(questions);
      if (isRepeated || questions.length >= QUESTIONS_MAX)
        throw new AppError(
          'invalid_state',
          `This registration has ${QUESTIONS_MAX} questions, the most allowed.`,
        );
      const id = `q_${randomBytes(9).toString('base64url')}`;
      const { id: registrationId, rev } = after;
      await tx
        .insert(registrationQuestions)
        .values({ id, registrationId, rev, at: new Date(now), askedBy: reviewer, text });
      await enqueueQuestion(tx, context, after, { id, text }, now);
    },
  ).catch((error: unknown) => {
    if (!isRepeated) throw error;
  });
  return { questions: await withRetry(() => read()) };
}
