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
