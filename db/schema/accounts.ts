import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { list, moment } from './columns.ts';
import { REVIEWER_ROLES } from '@mesh-registry/protocol/values.schema.ts';

/** Reviewers. Never deleted: the history refers to them by email address. */
export const reviewers = pgTable(
  'reviewers',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** In lower case. */
    email: text().notNull(),
    /** Required by better-auth; always true, because the invitation link was sent to the address. */
    emailVerified: boolean().notNull(),
    role: text({ enum: REVIEWER_ROLES }).notNull(),
    /** Null while the account is active. */
    deactivatedAt: moment(),
    twoFactorEnabled: boolean().notNull().default(false),
    /** Null until the first sign-in. Ended sessions leave no other trace. */
    lastSignInAt: moment(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (table) => [
    uniqueIndex('reviewers_email').on(table.email),
    check('reviewers_role', sql`${table.role} in (${list(REVIEWER_ROLES)})`),
  ],
);

const ofReviewer = () =>
  text()
    .notNull()
    .references(() => reviewers.id);

/** Sessions: better-auth's table without its column for an IP address. */
export const reviewerSessions = pgTable(
  'reviewer_sessions',
  {
    id: text().primaryKey(),
    token: text().notNull(),
    userId: ofReviewer(),
    /** Browser and system in words ("Firefox on Linux"), not the header that the browser sent. */
    userAgent: text(),
    expiresAt: moment().notNull(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (table) => [
    uniqueIndex('reviewer_sessions_token').on(table.token),
    index('reviewer_sessions_by_user').on(table.userId),
  ],
);

/** Each reviewer's password as a salted scrypt hash: better-auth's table of credentials. */
export const reviewerAccounts = pgTable(
  'reviewer_accounts',
  {
    id: text().primaryKey(),
    accountId: text().notNull(),
    providerId: text().notNull(),
    userId: ofReviewer(),
    password: text(),
    createdAt: moment().notNull(),
    updatedAt: moment().notNull(),
  },
  (table) => [index('reviewer_accounts_by_user').on(table.userId)],
);

/** Second factors: the secret and the recovery codes, encrypted with AUTH_SECRET. */
export const reviewerTwoFactors = pgTable(
  'reviewer_two_factors',
  {
    id: text().primaryKey(),
    secret: text().notNull(),
    backupCodes: text().notNull(),
    userId: ofReviewer(),
    /** False until a first code has proved that the app has the secret. */
    verified: boolean().notNull().default(true),
    failedVerificationCount: integer().notNull().default(0),
    lockedUntil: moment(),
  },
  (table) => [index('reviewer_two_factors_by_user').on(table.userId)],
);

/** Second-factor codes used in the last few minutes: each can be used once. */
export const reviewerUsedCodes = pgTable(
  'reviewer_used_codes',
  {
    userId: ofReviewer(),
    code: text().notNull(),
    usedAt: moment().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.code] })],
);

/** Sign-ins between the password and the second factor: better-auth's table. */
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
  (table) => [index('reviewer_verifications_by_identifier').on(table.identifier)],
);

/** Invitation links, each usable once. Deleted when used. */
export const reviewerInvitations = pgTable('reviewer_invitations', {
  /** SHA-256 of the link's token: reading the table does not give anyone a working link. */
  tokenHash: text().primaryKey(),
  /** Null in the very first invitation: the first reviewer enters an address. */
  email: text(),
  role: text({ enum: REVIEWER_ROLES }).notNull(),
  invitedBy: text().notNull(),
  createdAt: moment().notNull(),
  expiresAt: moment().notNull(),
});
