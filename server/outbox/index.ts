/** Messages to receivers: the reviewers' webhook, and notifications of the holders of names. */
export {
  createNotifications,
  enqueueDecision,
  type NotificationSettings,
  type RecentMessage,
} from './notifications.ts';
export { createWebhook, enqueueMessage } from './webhook.ts';
