import type { Database } from '#db/client.ts';
import type { Committed } from '#server/live/index.ts';
import type { ServiceContext } from '#server/context.ts';
import type { MeshService } from '#server/mesh/index.ts';
import type { ComputesService } from '#server/computes/index.ts';
import { createHealth } from './health.ts';
import { StatusRecorder } from './recorder.ts';
import { summarize } from './summary.ts';

export type { Reachability, Slot, StatusSummary } from './summary.ts';

export interface StatusSources {
  database: Database;
  mesh: Pick<MeshService, 'genesis' | 'checked' | 'committed'>;
  computes: Pick<ComputesService, 'committed'>;
  /** When this process started, ms. */
  startedAt: number;
}

/** The health of this process, and the status page: the state of the service and its last 24 hours. */
export function createStatus(
  context: ServiceContext,
  { database, mesh, computes, startedAt }: StatusSources,
) {
  const { db, serverId, clock, log } = context;
  const { genesis } = mesh;
  const health = createHealth(context, { database, genesis });
  const recorder = new StatusRecorder(db, serverId, clock, log);
  const count = ({ kind, size }: Committed) => recorder[kind](size);
  mesh.committed.on(count);
  computes.committed.on(count);
  mesh.checked.on((checked) => recorder.genesis(checked));

  return {
    health,
    async summary() {
      const state = await health.ready();
      if (state.database === 'up') await recorder.refresh();
      return summarize(context, {
        genesis,
        startedAt,
        embedded: database.embedded !== null,
        database: state.database,
        storage: state.storage,
        minutes: recorder.minutes(),
      });
    },
    /** Writes the minutes that have ended. Also runs by itself at the end of each minute. */
    write: () => recorder.write(),
    load: () => recorder.refresh(),
    start: () => recorder.start(),
    /** Writes the current minute as well. */
    stop: () => recorder.stop(),
  };
}
