import type { Ping, PingAnswer } from '../../server/schemas/mesh.ts';
import { randomPlace } from '../../scripts/fleet/places.ts';

/** Pings in flight at once while seeding. */
const CONCURRENCY = 64;

/** One heartbeat, over the public API. */
export async function ping(url: string, body: Ping): Promise<PingAnswer> {
  const response = await fetch(`${url}/api/mesh/ping`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as PingAnswer;
}

/** Heartbeats of many nodes, several at once; they join in no certain order. */
export async function pingAll(url: string, pings: Ping[]): Promise<void> {
  const waiting = [...pings];
  const worker = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await ping(url, next);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** Nodes near real cities, of all states and classes in proportions of a living network. The same each time. */
export function cityNodes(count: number): Ping[] {
  let seed = 20_260_717;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  return Array.from({ length: count }, (_, index) => {
    const { lat, lng, region, city } = randomPlace(random);
    return {
      nodeId: `node_${String(index).padStart(5, '0')}`,
      label: `${city} ${index}`,
      lat,
      lng,
      region,
      class: pick(['S', 'S', 'S', 'M', 'M', 'L'] as const),
      status: pick([...Array<'online'>(9).fill('online'), 'syncing', 'idle', 'offline'] as const),
    };
  });
}
