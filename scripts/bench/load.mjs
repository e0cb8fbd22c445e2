// Generates one load over raw sockets, in threads of a process of its own: node:http as a client would take longer
// per request than the server that is measured. Reads its options as JSON from stdin, prints the result as JSON.
import { createHistogram } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';

/** @type {import('./load.ts').LoadOptions} */
const options = JSON.parse(await text(process.stdin));
const { connections, seconds, rate, threads = 1 } = options;

const workers = Array.from({ length: threads }, () => {
  const share = { connections: Math.ceil(connections / threads), rate: rate && rate / threads };
  return new Worker(new URL('load-thread.mjs', import.meta.url), {
    workerData: { ...options, ...share },
  });
});
const message = (worker) =>
  new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });

// Each thread first opens its connections.
await Promise.all(workers.map(message));
const cpu = process.cpuUsage();
setTimeout(() => {
  const { user, system } = process.cpuUsage(cpu);
  busy = (user + system) / 1e6 / seconds / threads;
}, seconds * 1000);
let busy = 0;
for (const worker of workers) worker.postMessage('start');

const latencies = createHistogram();
const total = { due: 0, answered: 0, bad: 0, late: 0 };
for (const result of await Promise.all(workers.map(message))) {
  latencies.add(result.latencies);
  for (const name of Object.keys(total)) total[name] += result[name];
}
const ms = (microseconds) => (latencies.count > 0 ? microseconds / 1000 : null);
console.log(
  JSON.stringify({
    ...total,
    perSecond: total.answered / seconds,
    p50: ms(latencies.percentile(50)),
    p99: ms(latencies.percentile(99)),
    max: ms(latencies.max),
    busy,
  }),
);
process.exit();
