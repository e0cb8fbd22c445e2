export const REGISTRATION_STATUSES = [
  'pending_payment',
  'pending_review',
  'active',
  'rejected',
] as const;
export type RegistrationStatus = (typeof REGISTRATION_STATUSES)[number];

/** Largest body of a registration request, bytes. */
export const REGISTER_BODY_BYTES = 8 * 1024;
