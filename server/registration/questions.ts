import { asc, inArray } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Question } from '@mesh-registry/protocol/rest/register.schema.ts';
import type { Db } from '#db/client.ts';
import {
  registrationAnswers,
  registrationQuestions,
  type RegistrationRow,
} from '#db/schema/index.ts';
import { withRetry } from '#server/common/with-retry.ts';

/**
 * What reviewers ask about a registration, and what its operator answers. Each is a change of the registration without
 * another status: its place in the queue stays, and whoever follows it or the queue hears of it.
 */

/** A question as reviewers see it. */
export interface Asked extends Question {
  /** The reviewer's address. */
  by: string;
}

/** Those of some registrations, by the registration's id, the oldest first. Of others there is none. */
export async function readQuestions(db: Db, ids: string[]): Promise<Map<string, Asked[]>> {
  const found = new Map<string, Asked[]>();
  if (ids.length === 0) return found;
  const questions = await db
    .select()
    .from(registrationQuestions)
    .where(inArray(registrationQuestions.registrationId, ids))
    .orderBy(asc(registrationQuestions.rev));
  if (questions.length === 0) return found;
  const answers = await db
    .select()
    .from(registrationAnswers)
    .where(inArray(registrationAnswers.registrationId, ids))
    .orderBy(asc(registrationAnswers.rev));
  const byId = new Map<string, Asked>();
  for (const { id, registrationId, at, text, askedBy } of questions) {
    const asked: Asked = { id, at: at.toISOString(), text, answers: [], by: askedBy };
    byId.set(id, asked);
    found.set(registrationId, [...(found.get(registrationId) ?? []), asked]);
  }
  for (const { questionId, at, text } of answers)
    byId.get(questionId)?.answers.push({ at: at.toISOString(), text });
  return found;
}

/** Without who asked: its operator sees no reviewer's name. */
const forOperator = ({ by: _, ...question }: Asked): Question => question;

type Version = Pick<RegistrationRow, 'id' | 'rev' | 'confirmedAt'>;

/** Registrations whose questions stay in memory. */
const CACHED_MAX = 2000;

/** The questions about each registration. They never change for one version of its row, and so can be cached. */
export class Questions {
  /** By the registration's id. */
  readonly #cached = new LRUCache<string, { rev: number; questions: Question[] }>({
    max: CACHED_MAX,
  });

  constructor(private readonly db: Db) {}

  /** Without a query; null if they are not cached. */
  cached({ id, rev, confirmedAt }: Version): Question[] | null {
    // Nobody asks before the payment is reported.
    if (confirmedAt === null) return [];
    const cached = this.#cached.get(id);
    return cached?.rev === rev ? cached.questions : null;
  }

  /** By the registration's id. @throws AppError `unavailable` */
  async of(versions: Version[]): Promise<Map<string, Question[]>> {
    const unknown = versions.filter((version) => this.cached(version) === null);
    const read = await withRetry(() =>
      readQuestions(
        this.db,
        unknown.map(({ id }) => id),
      ),
    );
    const found = new Map<string, Question[]>();
    for (const version of versions) {
      const { id, rev } = version;
      const questions = this.cached(version) ?? (read.get(id) ?? []).map(forOperator);
      found.set(id, questions);
      this.#cached.set(id, { rev, questions });
    }
    return found;
  }
}
