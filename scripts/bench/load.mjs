// One load, in a process of its own so that it takes nothing from the server's event loop.
// Reads its order as JSON from stdin, prints the result as JSON.
import autocannon from 'autocannon';
import { text } from 'node:stream/consumers';

/**
 * @typedef {{ url: string, method: 'GET' | 'POST', headers: Record<string, string>, peers: number,
 *   connections: number, seconds: number, rate?: number }} Order
 */

/** @type {Order} */
const order = JSON.parse(await text(process.stdin));
const bodies = Array.from({ length: order.peers }, (_, n) =>
  JSON.stringify({
    nodeId: `node_${n}`,
    lat: ((n * 7) % 170) - 85,
    lng: ((n * 13) % 360) - 180,
    label: `node ${n}`,
    class: 'M',
    region: 'EU',
    status: 'online',
  }),
);
let next = 0;
const result = await autocannon({
  url: order.url,
  method: order.method,
  headers: order.headers,
  connections: order.connections,
  duration: order.seconds,
  ...(order.rate ? { overallRate: order.rate } : {}),
  requests: [
    order.method === 'POST'
      ? { setupRequest: (request) => ({ ...request, body: bodies[next++ % bodies.length] }) }
      : {},
  ],
});
const good = result['1xx'] + result['2xx'] + (order.headers['if-none-match'] ? result['3xx'] : 0);
console.log(
  JSON.stringify({
    perSecond: good / result.duration,
    bad:
      result.errors +
      result.timeouts +
      result.non2xx -
      (order.headers['if-none-match'] ? result['3xx'] : 0),
    p50: result.latency.p50,
    p99: result.latency.p99,
  }),
);
