/** The network's signed root and truth, and the registry's public log. */
export { createRegistryLog, RegistryLogError, runningWriter } from './log.ts';
export { blocksForBackup, restoreBlocks } from './log-backup.ts';
export { createTruth, type NetworkSummary, type RoleSummary } from './truth.ts';
