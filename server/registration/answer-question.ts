import type {
  AnswerQuestion,
  Question,
  RegistrationRecord,
} from '@mesh-registry/protocol/rest/register.schema.ts';
import { ANSWERED_REASON, ANSWERS_MAX, OPERATOR } from '@mesh-registry/protocol/values.schema.ts';
import type { Db } from '#db/client.ts';
import { registrationAnswers, type RegistrationRow } from '#db/schema/index.ts';
import { AppError, invalid } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { readQuestions } from './questions.ts';
import { presentRecord, readRegistration, type RegistrationContext } from './record.ts';
import { changeRegistration } from './state-machine.ts';

const requireWaiting = ({ status }: Pick<RegistrationRow, 'status'>): void => {
  if (status !== 'pending_review')
    throw new AppError(
      'invalid_state',
      'Questions can only be answered while the registration waits for review.',
    );
};

/**
 * Adds an answer to a question. The same text again is the same answer, whatever has happened since.
 * @throws AppError `not_found`, `invalid_body` (no such question), `invalid_state` (it doesn't wait for review, or the
 *   question has all the answers it can have), `unavailable`
 */
export async function answerQuestion(
  context: RegistrationContext,
  { id: secret, questionId, text }: Omit<AnswerQuestion, 'action'>,
  now = context.clock(),
): Promise<RegistrationRecord> {
  const row = await readRegistration(context, secret, now);
  const questionIn = async (db: Db) => {
    const asked = (await readQuestions(db, [row.id])).get(row.id) ?? [];
    const question = asked.find(({ id }) => id === questionId);
    if (!question)
      throw invalid('invalid_body', [
        { path: 'questionId', message: 'must be the id of one of its questions' },
      ]);
    return question;
  };
  const isAnswer = (question: Question) => question.answers.some((each) => each.text === text);
  if (isAnswer(await withRetry(() => questionIn(context.db)))) return presentRecord(context, row);
  // Sent twice at once: the second one finds the answer in its transaction, and changes nothing.
  let isRepeated = false;
  const answered = await changeRegistration(
    context,
    { id: row.id },
    now,
    (found) => {
      requireWaiting(found);
      return { to: 'pending_review', actor: OPERATOR, reason: ANSWERED_REASON };
    },
    async (tx, { id: registrationId, rev }) => {
      const question = await questionIn(tx);
      isRepeated = isAnswer(question);
      if (isRepeated || question.answers.length >= ANSWERS_MAX)
        throw new AppError(
          'invalid_state',
          `This question has ${ANSWERS_MAX} answers, the most allowed.`,
        );
      await tx
        .insert(registrationAnswers)
        .values({ registrationId, rev, questionId, at: new Date(now), text });
    },
  ).catch((error: unknown) => {
    if (isRepeated) return readRegistration(context, secret, now);
    throw error;
  });
  return presentRecord(context, answered);
}
