/** The bootstrap peer: a background check of its health, and how it is presented. */
export { GenesisMonitor, type CheckTimes, type GenesisHealth } from './genesis-monitor.ts';
export { presentGenesis } from './genesis-present.ts';
