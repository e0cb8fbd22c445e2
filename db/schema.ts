import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import {
  KINDS,
  NODE_CLASSES,
  PEER_STATUSES,
  REGISTRATION_STATUSES,
  VISIBILITIES,
} from '#server/common/values.schema.ts';
import { followed, list, moment } from './columns.ts';

export * from './review-schema.ts';

/**
 * One dialect for every engine that speaks PostgreSQL: ids made by the application, text with CHECK
 * instead of enum types, uniqueness by primary key, no triggers, no extensions.
 */

/**
 * The last heartbeat of each node. Coordinates are quantized before they get here.
 * `label`, `class` and `region` are null until the node says one: defaults are applied on reading, so
 * that a heartbeat which leaves one out can keep the earlier value in the same statement.
 * No index but the primary key: an index on a column that heartbeats change would end in-place (HOT)
 * updates.
 */
export const peers = pgTable(
  'peers',
  {
    id: text().primaryKey(),
    label: text(),
    class: text({ enum: NODE_CLASSES }),
    region: text(),
    status: text({ enum: PEER_STATUSES }).notNull(),
    lat: doublePrecision().notNull(),
    lng: doublePrecision().notNull(),
    joinedAt: moment().notNull(),
    lastSeen: moment().notNull(),
    ...followed,
  },
  (t) => [
    check('peers_class', sql`${t.class} in (${list(NODE_CLASSES)})`),
    check('peers_status', sql`${t.status} in (${list(PEER_STATUSES)})`),
    check('peers_place', sql`${t.lat} between -90 and 90 and ${t.lng} between -180 and 180`),
  ],
);

/** The last announce of each compute; `id` is `<nodeId>:<name>`. `label` as in {@link peers}. */
export const computes = pgTable(
  'computes',
  {
    id: text().primaryKey(),
    nodeId: text().notNull(),
    name: text().notNull(),
    label: text(),
    image: text().notNull(),
    visibility: text({ enum: VISIBILITIES }).notNull(),
    class: text({ enum: NODE_CLASSES }).notNull(),
    backend: text().notNull(),
    replicas: integer().notNull(),
    freeSlots: integer().notNull(),
    firstSeen: moment().notNull(),
    lastSeen: moment().notNull(),
    ...followed,
  },
  (t) => [
    check('computes_class', sql`${t.class} in (${list(NODE_CLASSES)})`),
    check('computes_visibility', sql`${t.visibility} in (${list(VISIBILITIES)})`),
    check('computes_capacity', sql`${t.replicas} >= 0 and ${t.freeSlots} >= 0`),
  ],
);

/** A registration, from its start to its end. Rows are never deleted. */
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
    /** End of the hold of an unpaid name. */
    expiresAt: moment().notNull(),
    confirmedAt: moment(),
    activatedAt: moment(),
    decidedAt: moment(),
    /** Who decided last: a reviewer, or `system` when the hold ran out. */
    decidedBy: text(),
    rejectionReason: text(),
    ...followed,
  },
  (t) => [
    uniqueIndex('registrations_payment_note').on(t.paymentNote),
    index('registrations_by_status').on(t.status, t.expiresAt),
    index('registrations_by_writing').on(t.writtenAt),
    check('registrations_class', sql`${t.class} in (${list(NODE_CLASSES)})`),
    check('registrations_status', sql`${t.status} in (${list(REGISTRATION_STATUSES)})`),
    check(
      'registrations_kinds',
      sql`cardinality(${t.kinds}) between 1 and ${sql.raw(String(KINDS.length))}`,
    ),
    check('registrations_fee', sql`${t.feeCents} >= 0`),
  ],
);

/** Who holds a name: at most one registration, by primary key. Every registration that is not rejected holds its own. */
export const nameClaims = pgTable('name_claims', {
  name: text().primaryKey(),
  registrationId: text().notNull(),
  claimedAt: moment().notNull(),
});

/** Append-only: every change of state of every registration. `rev` is the registration's rev after the change. */
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
  (t) => [
    primaryKey({ columns: [t.registrationId, t.rev] }),
    index('registration_history_by_time').on(t.at),
  ],
);

/** Names nobody may register. Reviewers edit them. */
export const reservedNames = pgTable('reserved_names', {
  name: text().primaryKey(),
  reason: text().notNull(),
  addedBy: text().notNull(),
  addedAt: moment().notNull(),
  /** Null: for good. */
  expiresAt: moment(),
});

/** The first answer of a start that carried an Idempotency-Key, kept for a day. */
export const idempotencyKeys = pgTable('idempotency_keys', {
  /** SHA-256 of the key: whoever reads the table cannot repeat the request. */
  keyHash: text().primaryKey(),
  bodyHash: text().notNull(),
  registrationId: text().notNull(),
  answer: text().notNull(),
  createdAt: moment().notNull(),
});

/**
 * What each server process counted in each minute of the last day: the history of /status. A process
 * writes its own row of a minute, whole, so that writing it twice says the same; readers add them up.
 * A minute without a row is one in which no process ran.
 */
export const statusMinutes = pgTable(
  'status_minutes',
  {
    minute: moment().notNull(),
    /** The random id of the process: nothing of the machine or its address. */
    server: text().notNull(),
    /** Checks of Genesis by their outcome; latencies (ms) are of those that succeeded. */
    checksOk: integer().notNull(),
    checksFailed: integer().notNull(),
    latencySumMs: integer().notNull(),
    latencyMaxMs: integer().notNull(),
    /** Heartbeats and announces that were committed. */
    pings: integer().notNull(),
    announces: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.minute, t.server] }),
    check(
      'status_minutes_counts',
      sql`least(${t.checksOk}, ${t.checksFailed}, ${t.latencySumMs}, ${t.latencyMaxMs}, ${t.pings}, ${t.announces}) >= 0`,
    ),
  ],
);
