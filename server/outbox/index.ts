/** Messages to receivers: the reviewers' webhook, and notifications of the holders of names. */
export {
  createNotifications,
  enqueueDecision,
  type NotificationSettings,
  type RecentMessage,
  withdrawDecision,
} from './notifications.ts';
export { createWebhook, enqueueMessage, withdrawMessage } from './webhook.ts';
