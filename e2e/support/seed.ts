import type { AnnouncedCompute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import type { Ping, PingAnswer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { randomLocation } from '../../scripts/fleet/locations.ts';
import { pick, seededRandom } from '../../scripts/fleet/random.ts';
import type { TestServer } from '../../test/support/server.ts';

/** One heartbeat, over the public API. */
export const ping = (url: string, body: Ping) =>
  post(`${url}/api/mesh/ping`, body) as Promise<PingAnswer>;

/** One host's announcement, over the public API. */
export const announce = (
  url: string,
  body: { nodeId: string; label?: string; computes: Partial<AnnouncedCompute>[] },
) => post(`${url}/api/registry/computes`, body);

/** `compute-00000` and on, of every kind, on as many hosts as the limit of an announcement requires. */
export async function announceMany(url: string, total: number): Promise<void> {
  const images = ['alpine:3.20', 'ghcr.io/acme/serve:1.4', 'blender:4.2', 'Llama 3 70B'];
  for (let at = 0; at < total; at += 250)
    await announce(url, {
      nodeId: `node_${at / 250}`,
      label: `Host ${at / 250}`,
      computes: Array.from({ length: Math.min(250, total - at) }, (_, index) => ({
        name: `compute-${String(at + index).padStart(5, '0')}`,
        image: images[index % 4] ?? '',
        visibility: index % 3 === 0 ? 'private' : 'public',
        class: (['S', 'M', 'L'] as const)[index % 3] ?? 'S',
        backend: ['docker', 'podman'][index % 2] ?? '',
        replicas: 4,
        freeSlots: index % 5,
      })),
    });
}

async function post(url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

/** Heartbeats of many nodes at once, past HTTP: a request each would take longer than the test. */
export async function pingAll(
  { services }: Pick<TestServer, 'services'>,
  pings: Ping[],
): Promise<void> {
  await Promise.all(pings.map((each) => services.mesh.ping(each)));
}

/** Nodes near real cities, with the states and classes of a realistic network. The same each time. */
export function cityNodes(count: number): Ping[] {
  const random = seededRandom(20_260_717, 'nodes');
  return Array.from({ length: count }, (_, index) => {
    const { lat, lng, region, city } = randomLocation(random);
    return {
      nodeId: `node_${String(index).padStart(5, '0')}`,
      label: `${city} ${index}`,
      lat,
      lng,
      region,
      class: pick(random, ['S', 'S', 'S', 'M', 'M', 'L'] as const),
      status: pick(random, [
        ...Array<'online'>(9).fill('online'),
        'syncing',
        'idle',
        'offline',
      ] as const),
    };
  });
}
