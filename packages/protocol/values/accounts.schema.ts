/** Administrators also invite reviewers, change roles and deactivate accounts. */
export const REVIEWER_ROLES = ['reviewer', 'administrator'] as const;
export type ReviewerRole = (typeof REVIEWER_ROLES)[number];

/** Length limits of accounts, characters. */
export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 128;
export const PERSON_NAME_MAX = 80;
