import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { ACTIONS, DECISIONS, REVIEWER_ROLES } from '#server/common/values.schema.ts';
import { followed, list, moment } from './columns.ts';

/** What the reviewers' side keeps: accounts, what they have on the desk, payments, blocked nodes, actions. */

/** Who reviews. Never deleted: the history names them by their address. */
export const reviewers = pgTable(
  'reviewers',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** In lower case. */
    email: text().notNull(),
    /** Of better-auth; always true: who holds an invitation's link was sent it. */
    emailVerified: boolean().notNull(),
    role: text({ enum: REVIEWER_ROLES }).notNull(),
    /** Null while the account may be used. */
    deactivatedAt: moment(),
    twoFactorEnabled: boolean().notNull().default(false),
    /** Null until the first time. Sessions that have ended leave no other trace. */
    lastSignInAt: moment(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (t) => [
    uniqueIndex('reviewers_email').on(t.email),
    check('reviewers_role', sql`${t.role} in (${list(REVIEWER_ROLES)})`),
  ],
);

/** Who is signed in, where. Better-auth's table without its column for an IP address. */
export const reviewerSessions = pgTable(
  'reviewer_sessions',
  {
    id: text().primaryKey(),
    token: text().notNull(),
    userId: text()
      .notNull()
      .references(() => reviewers.id),
    /** Browser and system in words ("Firefox on Linux"), not the header that the browser sent. */
    userAgent: text(),
    expiresAt: moment().notNull(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (t) => [
    uniqueIndex('reviewer_sessions_token').on(t.token),
    index('reviewer_sessions_by_user').on(t.userId),
  ],
);

/** The password of each reviewer, as a salted scrypt hash. Better-auth's table of credentials. */
export const reviewerAccounts = pgTable(
  'reviewer_accounts',
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    providerId: text().notNull(),
    userId: text()
      .notNull()
      .references(() => reviewers.id),
    password: text(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (t) => [index('reviewer_accounts_by_user').on(t.userId)],
);

/** The second factor: secret and recovery codes, encrypted with AUTH_SECRET. */
export const reviewerTwoFactors = pgTable(
  'reviewer_two_factors',
  {
    id: text().primaryKey(),
    secret: text().notNull(),
    backupCodes: text().notNull(),
    userId: text()
      .notNull()
      .references(() => reviewers.id),
    /** False until a first code has shown that the app has the secret. */
    verified: boolean().notNull().default(true),
    failedVerificationCount: integer().notNull().default(0),
    lockedUntil: moment(),
  },
  (t) => [index('reviewer_two_factors_by_user').on(t.userId)],
);

/** Codes of the second factor that opened a session in the last minutes: each does so once. */
export const reviewerUsedCodes = pgTable(
  'reviewer_used_codes',
  {
    userId: text()
      .notNull()
      .references(() => reviewers.id),
    code: text().notNull(),
    usedAt: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.code] })],
);

/** Sign-ins between the password and the second factor. Better-auth's table. */
export const reviewerVerifications = pgTable(
  'reviewer_verifications',
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    value: text().notNull(),
    expiresAt: moment().notNull(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (t) => [index('reviewer_verifications_by_identifier').on(t.identifier)],
);

/** Links that open an account, once. Deleted when used. */
export const reviewerInvitations = pgTable('reviewer_invitations', {
  /** SHA-256 of the link's token: whoever reads the table cannot use it. */
  tokenHash: text().primaryKey(),
  /** Null in the very first one: who opens it says their own. */
  email: text(),
  role: text({ enum: REVIEWER_ROLES }).notNull(),
  invitedBy: text().notNull(),
  createdAt: moment().notNull(),
  expiresAt: moment().notNull(),
});

/** Who has which registration open, so that two do not look at the same one. */
export const reviewTakes = pgTable('review_takes', {
  registrationId: text().primaryKey(),
  reviewer: text().notNull(),
  takenAt: moment().notNull(),
});

/** Decisions of the last seconds, which can be undone until they take effect. One per registration, by primary key. */
export const reviewDecisions = pgTable(
  'review_decisions',
  {
    registrationId: text().primaryKey(),
    reviewer: text().notNull(),
    decision: text({ enum: DECISIONS }).notNull(),
    reason: text(),
    /** Of a rejection: the registration's `rev` that the reviewer saw. It is not for a later one. */
    rev: bigint({ mode: 'number' }),
    madeAt: moment().notNull(),
    effectiveAt: moment().notNull(),
  },
  (t) => [
    index('review_decisions_by_effect').on(t.effectiveAt),
    check('review_decisions_decision', sql`${t.decision} in (${list(DECISIONS)})`),
  ],
);

/**
 * Counts the rows that were removed from the two tables above. A row that came and went between two looks
 * at them leaves both looks equal, but a page may have read it meanwhile.
 */
export const reviewDeskRemovals = pgSequence('review_desk_removals');
/** For `returning` of what removes such rows. */
export const countRemoval = sql<string>`nextval('review_desk_removals')`;

/** Incoming payments of the payment app's exports: nothing of a file but this is kept. */
export const payments = pgTable(
  'payments',
  {
    /** The app's transaction id: the same file twice changes nothing. */
    id: text().primaryKey(),
    paidAt: moment().notNull(),
    amountCents: integer().notNull(),
    note: text().notNull(),
    /** The payment note in it, in upper case; null where there is none. */
    noteKey: text(),
    /** When a later file said that it is not completed any more: from then on it counts for nothing. */
    reversedAt: moment(),
  },
  (t) => [
    index('payments_by_note').on(t.noteKey),
    index('payments_by_id_letters').on(
      sql`(upper(regexp_replace(${t.id}, '[^A-Za-z0-9]', '', 'g')))`,
    ),
  ],
);

/**
 * Nodes whose heartbeats and announces are refused, and which no list shows. `id` is the node's. A lifted
 * block keeps its row: other servers follow it.
 */
export const blockedNodes = pgTable(
  'blocked_nodes',
  {
    id: text().primaryKey(),
    reason: text().notNull(),
    blockedBy: text().notNull(),
    blockedAt: moment().notNull(),
    liftedAt: moment(),
    ...followed,
  },
  (t) => [index('blocked_nodes_by_writing').on(t.writtenAt)],
);

/** Append-only: what reviewers did beside deciding (registration_history has the decisions). */
export const reviewActions = pgTable(
  'review_actions',
  {
    id: text().primaryKey(),
    at: moment().notNull(),
    actor: text().notNull(),
    action: text({ enum: ACTIONS }).notNull(),
    /** What it was done to: a name, a node's id, a reviewer's address. */
    subject: text().notNull(),
    reason: text(),
  },
  (t) => [
    index('review_actions_by_time').on(t.at),
    check('review_actions_action', sql`${t.action} in (${list(ACTIONS)})`),
  ],
);

/** Messages to REVIEW_WEBHOOK_URL that have not arrived yet, written together with what they tell. Deleted once they have. */
export const webhookMessages = pgTable(
  'webhook_messages',
  {
    id: text().primaryKey(),
    body: text().notNull(),
    createdAt: moment().notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: moment().notNull(),
  },
  (t) => [index('webhook_messages_by_attempt').on(t.nextAttemptAt)],
);
