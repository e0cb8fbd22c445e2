/**
 * All tables, a file for each domain.
 *
 * One dialect for every engine that speaks PostgreSQL: the application makes ids, CHECK constraints
 * replace enum types, primary keys ensure uniqueness, and there are no triggers and no extensions.
 */
export * from './accounts.ts';
export * from './computes.ts';
export * from './uptime.ts';
export * from './identity.ts';
export * from './feed.ts';
export * from './mesh.ts';
export * from './notifications.ts';
export * from './outages.ts';
export * from './payments.ts';
export * from './registration.ts';
export * from './names.ts';
export * from './review.ts';
export * from './status.ts';
export * from './webhook.ts';
