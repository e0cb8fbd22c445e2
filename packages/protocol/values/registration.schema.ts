export const REGISTRATION_STATUSES = [
  'pending_payment',
  'pending_review',
  'active',
  'rejected',
] as const;
export type RegistrationStatus = (typeof REGISTRATION_STATUSES)[number];

/** In the history: a key of the node has proved the registration. */
export const PROVED_REASON = 'proved by the node’s key';

/** Largest body of a registration request, bytes. */
export const REGISTER_BODY_BYTES = 8 * 1024;
