/**
 * The index of all tables; each domain defines its own beside its code.
 *
 * One dialect for every engine that speaks PostgreSQL: the application makes ids, CHECK constraints
 * replace enum types, primary keys ensure uniqueness, and there are no triggers and no extensions.
 */
export * from '#server/accounts/accounts.table.ts';
export * from '#server/computes/computes.table.ts';
export * from '#server/history/history.table.ts';
export * from '#server/identity/node-keys.table.ts';
export * from '#server/live/feed.table.ts';
export * from '#server/mesh/peers.table.ts';
export * from '#server/notifications/notifications.table.ts';
export * from '#server/outages/outages.table.ts';
export * from '#server/payments/payments.table.ts';
export * from '#server/registration/registrations.table.ts';
export * from '#server/registry/reserved-names.table.ts';
export * from '#server/review/review.table.ts';
export * from '#server/status/status.table.ts';
export * from '#server/webhook/webhook.table.ts';
