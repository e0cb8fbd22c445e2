import type { Database } from '#db/client.ts';
import { onTimeout } from '#db/connection/timeout.ts';
import type { Committed } from '#server/live/index.ts';
import type { ServiceContext } from '#server/context.ts';
import type { GenesisMonitor, MeshService } from '#server/mesh/index.ts';
import type { ComputesService } from '#server/computes/index.ts';
import { StatusRecorder } from './recorder.ts';
import { summarize } from './summary.ts';

export type { Reachability, Slot, StatusSummary } from './summary.ts';

interface StatusSources {
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

/** How long a readiness check waits for the database, milliseconds. */
const DATABASE_TIMEOUT_MS = 1000;

/** What /healthz, /readyz and /metrics report. */
function createHealth(
  { live, clock }: ServiceContext,
  { database, genesis }: { database: Database; genesis: GenesisMonitor },
) {
  let stopping = false;

  const askDatabase = () =>
    new Promise<'up' | 'down'>((resolve) => {
      const endWait = onTimeout(DATABASE_TIMEOUT_MS, () => resolve('down'));
      database
        .ping()
        .then(
          () => resolve('up'),
          () => resolve('down'),
        )
        .finally(endWait);
    });
  let asked: Promise<'up' | 'down'> | undefined;
  /** One question at a time, whoever asks for it: /readyz needs no credential. */
  const databaseState = () => (asked ??= askDatabase().finally(() => (asked = undefined)));

  return {
    /** Whether this process can serve, and how current its read model is. */
    async ready() {
      const now = clock();
      const state = await databaseState();
      return {
        ok: live.isLoaded && !stopping,
        database: state,
        /** `full`: writes are refused until the disk has space again. */
        storage: database.embedded?.space.full ? ('full' as const) : ('ok' as const),
        readModel: live.isLoaded ? ('loaded' as const) : ('loading' as const),
        degraded: state === 'down' || live.degraded(),
        updatedAt: new Date(live.asOf(now)).toISOString(),
      };
    },
    /** From now on, this process is not ready: load balancers take it out. */
    stop() {
      stopping = true;
    },
    /** How far the read model may be behind the database, milliseconds. */
    readModelAgeMs: () => live.ageMs(),
    counts: () => ({ peers: live.peers.size, computes: live.computes.size }),
    genesis: () => genesis.health,
    /** Of the embedded database; null for that of DATABASE_URL. */
    embedded: () => database.embedded,
  };
}
