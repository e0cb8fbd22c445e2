import type { Database } from '#db/client.ts';
import { onTimeout } from '#db/connection/timeout.ts';
import type { ServiceContext } from '#server/context.ts';
import type { GenesisMonitor } from '#server/mesh/index.ts';

/** How long a readiness check waits for the database, milliseconds. */
const DATABASE_TIMEOUT_MS = 1000;

/** What /healthz, /readyz and /metrics report. */
export function createHealth(
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
