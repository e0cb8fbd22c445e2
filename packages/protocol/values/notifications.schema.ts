/** What the holder of a registration can be told, and where. */

export const TARGET_KINDS = ['webhook', 'ntfy'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

export const NOTIFICATION_EVENTS = ['decided', 'offline', 'back', 'test'] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** After how many minutes of silence a node is reported offline. */
export const OFFLINE_MINUTES = { min: 5, max: 1440, usual: 15 } as const;

/** Longest address, characters. */
export const ADDRESS_MAX = 500;
