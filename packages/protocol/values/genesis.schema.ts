export const GENESIS_STATUSES = ['online', 'offline', 'unknown'] as const;
export type GenesisStatus = (typeof GENESIS_STATUSES)[number];
