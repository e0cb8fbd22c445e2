import { setTimeout as sleep } from 'node:timers/promises';

const CLIENTS = 20;
const KNOWN_NODES = 200;

/** Heartbeats of known and of new nodes, one after the other from each client, to several servers. */
export function startLoad(servers: string[]) {
  /** Ids of new nodes. */
  const acknowledged: string[] = [];
  /** Moments, by performance.now(). */
  const acknowledgedAt: number[] = [];
  let running = true;
  let sent = 0;

  const send = async (client: number) => {
    for (let turn = client; running; turn++) {
      const isNew = turn % 5 === 0;
      const number = sent++;
      const nodeId = isNew ? `new_${number}` : `node_${(number * 7919) % KNOWN_NODES}`;
      try {
        const answer = await fetch(`${servers[turn % servers.length]}/api/mesh/ping`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ nodeId, lat: 1, lng: 1, label: `n ${number}` }),
          signal: AbortSignal.timeout(10_000),
        });
        await answer.text();
        if (answer.ok) {
          acknowledgedAt.push(performance.now());
          if (isNew) acknowledged.push(nodeId);
          continue;
        }
      } catch {
        // Refused, or cut off: it may be stored all the same.
      }
      await sleep(100);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, client) => send(client));
  return {
    acknowledged,
    acknowledgedAt,
    /** The longest time between two acknowledgements since `from`, milliseconds. */
    longestGap(from: number): number {
      const after = acknowledgedAt.filter((at) => at >= from);
      return Math.max(0, ...after.slice(1).map((at, index) => at - (after[index] ?? at)));
    },
    async stop(): Promise<void> {
      running = false;
      await Promise.all(clients);
    },
  };
}
