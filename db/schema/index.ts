/**
 * All tables, a file for each domain.
 *
 * One dialect for every engine that speaks PostgreSQL: the application makes ids, CHECK constraints
 * replace enum types, primary keys ensure uniqueness, and there are no triggers and no extensions.
 */
export * from './mesh.ts';
export * from './registration.ts';
export * from './review.ts';
export * from './accounts.ts';
export * from './outbox.ts';
export * from './uptime.ts';
export * from './service.ts';
