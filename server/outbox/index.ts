/** Messages to receivers: the reviewers' webhook, and notifications of the holders of names. */
export { enqueueDecision, enqueueQuestion, withdrawDecision } from './notification-outbox.ts';
export type { NotificationSettings, RecentMessage } from './notification-settings.ts';
export { createNotifications } from './notifications.ts';
export { enqueueMessage, withdrawMessage } from './webhook-messages.ts';
export { createWebhook } from './webhook.ts';
