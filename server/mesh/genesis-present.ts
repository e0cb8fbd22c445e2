import type { Config } from '#server/config.ts';
import type { GenesisMonitor } from './genesis-monitor.ts';
import type { Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';

const isoOrNull = (moment: number | null) =>
  moment === null ? null : new Date(moment).toISOString();

/** The bootstrap peer: its configuration and the result of the last health check. */
export function presentGenesis({
  config,
  genesis,
}: {
  config: Config;
  genesis: Pick<GenesisMonitor, 'health'>;
}): Genesis {
  const { label, region, lat, lng, since } = config.genesis;
  const { status, checkedAt, lastSeen, latencyMs } = genesis.health;
  return {
    id: 'genesis',
    label,
    class: 'L',
    region,
    role: 'genesis',
    status,
    lat,
    lng,
    joinedAt: since?.toISOString() ?? null,
    lastSeen: isoOrNull(lastSeen),
    checkedAt: isoOrNull(checkedAt),
    latencyMs,
  };
}
