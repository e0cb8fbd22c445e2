import { setTimeout as sleep } from 'node:timers/promises';
import { startNetworkProxy, type NetworkProxy } from '../../test/support/network-proxy.ts';
import { figure, type Figure } from '../figures.ts';
import { Network, type BenchPeer, type NetworkOptions } from './network.ts';

/** Milliseconds that a byte takes in each direction. */
const DELAYS = [0, 5, 25, 100];
const PING_MS = 250;
const PINGS = 20;
const PATIENCE_MS = 60_000;

/** What peers say their round trip is, through proxies that take a known time. */
export async function measureRoundTrips(
  options: Pick<NetworkOptions, 'program' | 'nodes' | 'nodeArgs'>,
): Promise<Figure[]> {
  const network = await Network.start({
    ...options,
    peers: 1,
    processes: 1,
    outbound: 0,
    intervals: { ping: PING_MS },
  });
  const proxies: NetworkProxy[] = [];
  try {
    const [listen = '', id = ''] = network.genesis.address.split('/p2p/');
    const genesisPort = Number(listen.split('/').at(-1));
    return await Promise.all(
      DELAYS.map(async (delay) => {
        const proxy = await startNetworkProxy(`http://127.0.0.1:${genesisPort}`, {
          delayMs: delay,
        });
        proxies.push(proxy);
        const { port } = new URL(proxy.url);
        const genesis = [`/ip4/127.0.0.1/tcp/${port}/p2p/${id}`];
        const min = await minimumOf(await network.add({ listen: [], genesis }));
        return figure(`Round trip of ${2 * delay} ms: error of the minimum`, min - 2 * delay, 'ms');
      }),
    );
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.cut()));
    await network.stop();
  }
}

/** The minimum that a peer tells, once it has measured often enough. */
async function minimumOf(peer: BenchPeer): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const rtt = (await peer.status).sessions[0]?.rtt;
    if (rtt && rtt.count >= PINGS) return rtt.min;
    if (performance.now() > deadline) throw new Error('No round trips were measured.');
    await sleep(PING_MS);
  }
}
