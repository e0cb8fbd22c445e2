/**
 * Every closed list of values, with the bounds and patterns that belong to it. Each feeds wire schemas, CHECK
 * constraints and pages. Pages load this file, so it has no zod schema.
 */

/**
 * Ends a `switch` over one of these lists: a value without a case does not compile.
 * @throws Error if a value comes that is not on the list
 */
export function never(value: never): never {
  throw new Error(`unexpected value: ${String(value)}`);
}

/** An object with a value for each item of a list, in its order. */
export const recordFrom = <Name extends string, Value>(
  names: readonly Name[],
  value: (name: Name) => Value,
) => Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, Value>;

// Nodes and names

export const NODE_ID_PATTERN = /^[a-zA-Z0-9_-]{2,64}$/;
export const REGION_PATTERN = /^[A-Z0-9_-]{1,16}$/;

export const NODE_CLASSES = ['S', 'M', 'L'] as const;
export type NodeClass = (typeof NODE_CLASSES)[number];

/** What a name can stand for. */
export const KINDS = ['node', 'compute'] as const;
export type Kind = (typeof KINDS)[number];

/** The region of a node that has set none and is where no land is: ISO 3166 reserves ZZ for "unknown". */
export const UNKNOWN_REGION = 'ZZ';

// Heartbeats

export const PEER_STATUSES = ['online', 'syncing', 'idle', 'offline'] as const;
export type PeerStatus = (typeof PEER_STATUSES)[number];

/** A peer is offline once its last heartbeat is older than this (milliseconds). Fixed, not configurable. */
export const OFFLINE_AFTER_MS = 60_000;

/** How long a node should wait between two heartbeats, milliseconds. */
export const NEXT_PING_MS = 20_000;

/** Largest body of a heartbeat, bytes. */
export const PING_BODY_BYTES = 4096;

// Genesis

export const GENESIS_STATUSES = ['online', 'offline', 'unknown'] as const;
export type GenesisStatus = (typeof GENESIS_STATUSES)[number];

// Compute offers

export const COMPUTE_STATUSES = ['available', 'busy', 'offline'] as const;
export type ComputeStatus = (typeof COMPUTE_STATUSES)[number];

export const VISIBILITIES = ['public', 'private'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Why an announced compute offer is not in the public directory. */
export const UNLISTED_REASONS = [
  'name_not_active',
  'name_owned_by_another_node',
  'registration_lacks_compute',
] as const;
export type UnlistedReason = (typeof UNLISTED_REASONS)[number];

/** How long a node should wait between two announcements, milliseconds. */
export const NEXT_ANNOUNCE_MS = 60_000;

/** Largest body of an announcement, bytes. */
export const ANNOUNCE_BODY_BYTES = 64 * 1024;

// Keys of nodes

/** Largest body of a rotation, bytes. */
export const KEY_BODY_BYTES = 8192;

/** Where a pin comes from. */
export const PIN_SOURCES = ['registration', 'first_use', 'rotation', 'review'] as const;
export type PinSource = (typeof PIN_SOURCES)[number];

// Registrations

export const REGISTRATION_STATUSES = [
  'pending_payment',
  'pending_review',
  'active',
  'rejected',
] as const;
export type RegistrationStatus = (typeof REGISTRATION_STATUSES)[number];

/** Who ended a registration. */
export const ENDED_BY = ['operator', 'expiry', 'reviewer'] as const;
export type EndedBy = (typeof ENDED_BY)[number];

/** In the history: a key of the node has proved the registration. */
export const PROVED_REASON = 'proved by the node’s key';

/** In the history: a reviewer has asked its operator, and the operator has answered. */
export const ASKED_REASON = 'asked the operator';
export const ANSWERED_REASON = 'answered the reviewer';

/** Largest body of a registration request, bytes. */
export const REGISTER_BODY_BYTES = 8 * 1024;

// Review

/** What a reviewer can decide about a registration. */
export const DECISIONS = ['accept', 'reject', 'revoke'] as const;
export type DecisionKind = (typeof DECISIONS)[number];

/**
 * How long the reviewer who made a decision can undo it, milliseconds. Its messages and its event in the public log
 * wait as long.
 */
export const UNDO_MS = 5000;

/** How long a registration is kept that nobody reported as paid, after it has ended, days. */
export const UNCLAIMED_KEPT_DAYS = 30;
/**
 * Longest list of the queue. Newer registrations move up as the older ones are decided. All of them can be rejected at
 * once, and no more.
 */
export const QUEUE_LIMIT = 200;

/** Questions about a registration, answers to each of them, and the characters of either, at most. */
export const QUESTIONS_MAX = 10;
export const ANSWERS_MAX = 10;
export const QUESTION_TEXT_MAX = 500;

/** Longest reason that a reviewer gives, characters. */
export const REASON_MAX = 500;

/** Actors in the history other than reviewers, who appear by their email address. */
export const SYSTEM = 'system';
export const OPERATOR = 'operator';

/** What reviewers do besides deciding. Each is an event of the history. */
export const ACTIONS = [
  'name_reserved',
  'name_released',
  'node_blocked',
  'node_unblocked',
  'node_removed',
  'node_key_reset',
  'node_key_pinned',
  'payments_imported',
  'registration_assigned',
  'remark_written',
  'reviewer_invited',
  'invitation_withdrawn',
  'reviewer_joined',
  'access_link_made',
  'access_renewed',
  'role_changed',
  'reviewer_deactivated',
  'reviewer_reactivated',
] as const;
export type Action = (typeof ACTIONS)[number];

// Accounts of reviewers

/** Administrators also invite reviewers, change roles and deactivate accounts. */
export const REVIEWER_ROLES = ['reviewer', 'administrator'] as const;
export type ReviewerRole = (typeof REVIEWER_ROLES)[number];

/** Length limits of accounts, characters. */
export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 128;
export const PERSON_NAME_MAX = 80;

// Notifications

export const TARGET_KINDS = ['webhook', 'ntfy'] as const;

export const NOTIFICATION_KINDS = ['decided', 'asked', 'offline', 'back', 'test'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** After how many minutes of silence a node is reported offline. */
export const OFFLINE_MINUTES = { min: 5, max: 1440, usual: 15 } as const;

/** Longest address, characters. */
export const ADDRESS_MAX = 500;

// Outages

/**
 * How long a node that was removed by the network's secret alone is only hidden, milliseconds: what is heard of it until
 * then brings it back.
 */
export const HIDDEN_MS = 24 * 3_600_000;

/** How long a node must be silent until that is recorded as an outage, milliseconds. On the map it is offline after 60 s. */
export const OUTAGE_AFTER_MS = 300_000;
/** How long outages that have ended are stored, milliseconds. */
export const OUTAGE_KEPT_MS = 90 * 86_400_000;
