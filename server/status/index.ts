import type { ServiceContext } from '#server/context.ts';
import type { GenesisMonitor } from '#server/mesh/index.ts';
import type { Health } from './health.ts';
import type { StatusRecorder } from './recorder.ts';
import { summarize } from './summary.ts';

export { createHealth } from './health.ts';
export { StatusRecorder } from './recorder.ts';
export type { Reachability, Slot, StatusSummary } from './summary.ts';

/** The status page: the state of the service and its last 24 hours. */
export function createStatus(
  context: ServiceContext,
  {
    recorder,
    health,
    ...state
  }: {
    recorder: StatusRecorder;
    health: Health;
    genesis: GenesisMonitor;
    startedAt: number;
    embedded: boolean;
  },
) {
  return {
    async summary() {
      const { database, storage } = await health.ready();
      if (database === 'up') await recorder.refresh();
      return summarize(context, { ...state, database, storage, minutes: recorder.minutes() });
    },
    /** Writes the minutes that have ended. Also runs by itself at the end of each minute. */
    write: () => recorder.write(),
  };
}
