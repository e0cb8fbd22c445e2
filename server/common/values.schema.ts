/**
 * The closed sets of values of the service. Each stands once, here, and feeds the wire schemas, the
 * CHECK constraints of the database and the pages.
 */
export const NODE_CLASSES = ['S', 'M', 'L'] as const;
export type NodeClass = (typeof NODE_CLASSES)[number];

export const PEER_STATUSES = ['online', 'syncing', 'idle', 'offline'] as const;
export type PeerStatus = (typeof PEER_STATUSES)[number];

export const GENESIS_STATUSES = ['online', 'offline', 'unknown'] as const;
export type GenesisStatus = (typeof GENESIS_STATUSES)[number];

export const COMPUTE_STATUSES = ['available', 'busy', 'offline'] as const;
export type ComputeStatus = (typeof COMPUTE_STATUSES)[number];

export const VISIBILITIES = ['public', 'private'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

export const KINDS = ['node', 'compute'] as const;

export const REGISTRATION_STATUSES = [
  'pending_payment',
  'pending_review',
  'active',
  'rejected',
] as const;
export type RegistrationStatus = (typeof REGISTRATION_STATUSES)[number];

/** What a reviewer may do: administrators also invite, set roles and deactivate. */
export const REVIEWER_ROLES = ['reviewer', 'administrator'] as const;
export type ReviewerRole = (typeof REVIEWER_ROLES)[number];

/** Longest reason that a reviewer gives, characters. */
export const REASON_MAX = 500;

/** Of reviewers' accounts, characters. */
export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 128;
export const PERSON_NAME_MAX = 80;

/** What a reviewer decides of a registration. */
export const DECISIONS = ['accept', 'reject', 'revoke'] as const;
export type DecisionKind = (typeof DECISIONS)[number];

/** Who acts in the history, where it is not a reviewer (they go by their address, which has an @). */
export const SYSTEM = 'system';
export const OPERATOR = 'operator';

/** What reviewers do beside deciding: each is a row of the history. */
export const ACTIONS = [
  'name_reserved',
  'name_released',
  'node_blocked',
  'node_unblocked',
  'payments_imported',
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

/** Why an announced compute is not in the public directory. */
export const UNLISTED_REASONS = [
  'name_not_active',
  'name_owned_by_another_node',
  'registration_lacks_compute',
] as const;
export type UnlistedReason = (typeof UNLISTED_REASONS)[number];

/** A peer is offline once its last heartbeat is older than this (milliseconds). Fixed, not configurable. */
export const OFFLINE_AFTER_MS = 60_000;
/** How long a node should wait between two heartbeats (milliseconds). */
export const NEXT_PING_MS = 20_000;
/** How long a host should wait between two announces (milliseconds). */
export const NEXT_ANNOUNCE_MS = 60_000;
/** Largest body of a ping, bytes. */
export const PING_BODY_BYTES = 4096;
/** Largest body of an announce, bytes. */
export const ANNOUNCE_BODY_BYTES = 64 * 1024;
/** Largest body of a registration request, bytes. */
export const REGISTER_BODY_BYTES = 8 * 1024;
/** What a region is called that nobody named: ISO 3166 reserves ZZ for "unknown". */
export const UNKNOWN_REGION = 'ZZ';
