/** Closed sets of values that several domains share. Each feeds wire schemas, CHECK constraints and pages. */

export const NODE_CLASSES = ['S', 'M', 'L'] as const;
export type NodeClass = (typeof NODE_CLASSES)[number];

/** What a name can stand for. */
export const KINDS = ['node', 'compute'] as const;
export type Kind = (typeof KINDS)[number];

/** The region of a node that has not set one: ISO 3166 reserves ZZ for "unknown". */
export const UNKNOWN_REGION = 'ZZ';

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
