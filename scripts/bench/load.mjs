// Generates one load, in a process of its own so that it takes no time from the server's event loop.
// Reads its options as JSON from stdin and prints the result as JSON.
import autocannon from 'autocannon';
import { text } from 'node:stream/consumers';

/** @type {import('./processes.ts').LoadOptions} */
const { url, method, headers, connections, seconds, rate, peers } = JSON.parse(
  await text(process.stdin),
);

const pings = Array.from({ length: peers }, (_, n) =>
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
const nextPing = (request) => ({ ...request, body: pings[next++ % pings.length] });

const result = await autocannon({
  url,
  method,
  headers,
  connections,
  duration: seconds,
  ...(rate ? { overallRate: rate } : {}),
  requests: [method === 'POST' ? { setupRequest: nextPing } : {}],
});
const notModified = headers['if-none-match'] ? result['3xx'] : 0;
console.log(
  JSON.stringify({
    perSecond: (result['1xx'] + result['2xx'] + notModified) / result.duration,
    bad: result.errors + result.timeouts + result.non2xx - notModified,
    p50: result.latency.p50,
    p99: result.latency.p99,
  }),
);
