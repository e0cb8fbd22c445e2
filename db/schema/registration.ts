import { sql, type SQL } from 'drizzle-orm';
import {
  bigint,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  type AnyPgColumn,
} from 'drizzle-orm/pg-core';
import {
  KINDS,
  NODE_CLASSES,
  OPERATOR,
  REGISTRATION_STATUSES,
  SYSTEM,
} from '@mesh-registry/protocol/values.schema.ts';
import { list, moment, replicationColumns, type Replicated } from './columns.ts';

/** The condition of an index: a query that has it too finds its rows by that index. */
export const notRejected = (status: AnyPgColumn): SQL => sql`${status} <> 'rejected'`;

/** The same: registrations that only their operator and the passing of time have ended, or may end. */
export const endedUnclaimed = ({
  confirmedAt,
  decidedBy,
}: Record<'confirmedAt' | 'decidedBy', AnyPgColumn>): SQL =>
  sql`${confirmedAt} is null and (${decidedBy} is null or ${decidedBy} in (${list([OPERATOR, SYSTEM])}))`;

/** When a registration that nobody reported as paid has ended, or will end: cancelled, or at the end of its reservation. */
export const unclaimedUntil = ({
  decidedAt,
  expiresAt,
}: Record<'decidedAt' | 'expiresAt', AnyPgColumn>): SQL<Date> =>
  sql`least(${decidedAt}, ${expiresAt})`;

/** When the review of a registration was finished; null before, and where it wasn't reviewed. */
export const reviewedAt = ({
  activatedAt,
  decidedAt,
}: Record<'activatedAt' | 'decidedAt', AnyPgColumn>): SQL<Date | null> =>
  sql`coalesce(${activatedAt}, ${decidedAt})`;

/**
 * Registrations of names. Those that nobody reported as paid are deleted some time after they ended; see
 * server/registration/unclaimed.ts.
 */
export const registrations = pgTable(
  'registrations',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    label: text().notNull(),
    class: text({ enum: NODE_CLASSES }).notNull(),
    region: text().notNull(),
    nodeId: text().notNull(),
    kinds: text({ enum: KINDS }).array().notNull(),
    status: text({ enum: REGISTRATION_STATUSES }).notNull(),
    paymentNote: text().notNull(),
    feeCents: integer().notNull(),
    cashConfirm: text(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
    /** End of the reservation while unpaid. */
    expiresAt: moment().notNull(),
    confirmedAt: moment(),
    activatedAt: moment(),
    decidedAt: moment(),
    /** Who made the last decision: a reviewer, or `system` when the reservation expired. */
    decidedBy: text(),
    rejectionReason: text(),
    ...replicationColumns,
    /** The key that has proved the registration for its node; null: none has. */
    proofKey: text(),
    /**
     * What replaces `id` as the secret of its operator once a reviewer has revoked a key that could list it; null: that
     * is `id` itself. {@link secretIdOf}
     */
    secretId: text(),
    /** The ended registration that its operator had before, whose payment may be meant for this one; null: none. */
    earlierId: text(),
  },
  (table) => [
    index('registrations_by_earlier')
      .on(table.earlierId)
      .where(sql`${table.earlierId} is not null`),
    uniqueIndex('registrations_payment_note').on(table.paymentNote),
    uniqueIndex('registrations_secret_id').on(table.secretId),
    index('registrations_by_status').on(table.status, table.expiresAt),
    index('registrations_by_node').on(table.nodeId, table.status),
    index('registrations_by_name').on(table.name),
    index('registrations_by_change').on(table.updatedAt),
    index('registrations_held').on(table.id).where(notRejected(table.status)),
    index('registrations_unclaimed').on(unclaimedUntil(table)).where(endedUnclaimed(table)),
    index('registrations_by_review')
      .on(reviewedAt(table))
      .where(sql`${table.confirmedAt} is not null`),
    // Nobody reads by it any more: the next migration may drop it.
    index('registrations_by_writing').on(table.writtenAt),
    check('registrations_class', sql`${table.class} in (${list(NODE_CLASSES)})`),
    check('registrations_status', sql`${table.status} in (${list(REGISTRATION_STATUSES)})`),
    check(
      'registrations_kinds',
      sql`cardinality(${table.kinds}) between 1 and ${sql.raw(String(KINDS.length))}`,
    ),
    check('registrations_fee', sql`${table.feeCents} >= 0`),
  ],
);
export type RegistrationRow = Replicated<typeof registrations.$inferSelect>;

/** Whether its reservation has expired, even if no sweep has ended it yet. The registry asks this of any name's holder. */
export const isExpired = (row: RegistrationRow, now: number): boolean =>
  row.status === 'pending_payment' && row.expiresAt.getTime() <= now;

/**
 * The secret by which the operator of a registration knows it: the id of the API, in the link of its page. Within the
 * service, tables and read models know it by `id`, which stays.
 */
export const secretIdOf = ({ id, secretId }: Pick<RegistrationRow, 'id' | 'secretId'>): string =>
  secretId ?? id;

/** The registration of which this is the secret. */
export const hasSecretId = (secret: string): SQL =>
  sql`(${registrations.secretId} = ${secret} or (${registrations.id} = ${secret} and ${registrations.secretId} is null))`;

/** The one registration that holds each name. Every registration that is not rejected holds its name. */
export const nameClaims = pgTable('name_claims', {
  name: text().primaryKey(),
  registrationId: text().notNull(),
  claimedAt: moment().notNull(),
});

/**
 * Nodes for which a registration is being opened or proved, or whose keys change. A row exists only inside the
 * transaction that does it, and makes others for the same node wait.
 */
export const registeringNodes = pgTable('registering_nodes', { nodeId: text().primaryKey() });

/** Append-only: every status change of every registration. `rev` is the registration's rev after the change. */
export const registrationHistory = pgTable(
  'registration_history',
  {
    registrationId: text().notNull(),
    rev: bigint({ mode: 'number' }).notNull(),
    at: moment().notNull(),
    /** `operator`, `system`, or the reviewer. */
    actor: text().notNull(),
    fromStatus: text({ enum: REGISTRATION_STATUSES }),
    toStatus: text({ enum: REGISTRATION_STATUSES }).notNull(),
    reason: text(),
  },
  (table) => [
    primaryKey({ columns: [table.registrationId, table.rev] }),
    index('registration_history_by_time').on(table.at),
  ],
);

/**
 * Append-only: what reviewers ask the operator of a registration. `rev` is that of the registration after the change, and
 * orders them.
 */
export const registrationQuestions = pgTable(
  'registration_questions',
  {
    id: text().primaryKey(),
    registrationId: text().notNull(),
    rev: bigint({ mode: 'number' }).notNull(),
    at: moment().notNull(),
    /** The reviewer's address. */
    askedBy: text().notNull(),
    text: text().notNull(),
  },
  // The same text again is the same question.
  (table) => [uniqueIndex('registration_questions_text').on(table.registrationId, table.text)],
);

/** Append-only: what the operator answers, ordered in the same way. */
export const registrationAnswers = pgTable(
  'registration_answers',
  {
    registrationId: text().notNull(),
    rev: bigint({ mode: 'number' }).notNull(),
    questionId: text().notNull(),
    at: moment().notNull(),
    text: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.registrationId, table.rev] }),
    // The same text again is the same answer.
    uniqueIndex('registration_answers_text').on(table.questionId, table.text),
  ],
);

/** The first answer to each start that had an Idempotency-Key, stored for a day. */
export const idempotencyKeys = pgTable('idempotency_keys', {
  /** SHA-256 of the key: reading the table does not allow repeating the request. */
  keyHash: text().primaryKey(),
  bodyHash: text().notNull(),
  registrationId: text().notNull(),
  answer: text().notNull(),
  createdAt: moment().notNull(),
});

/** Names that nobody may register. Reviewers edit the list. */
export const reservedNames = pgTable('reserved_names', {
  name: text().primaryKey(),
  reason: text().notNull(),
  addedBy: text().notNull(),
  addedAt: moment().notNull(),
  /** Null: reserved indefinitely. */
  expiresAt: moment(),
});
