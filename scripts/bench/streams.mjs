// Viewers of an event stream over raw sockets, in a process of its own. Reads its options as JSON from stdin, prints
// a line when all streams are open, and the result as JSON when stdin closes.
import { connect } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { createInterface } from 'node:readline';

const lines = createInterface(process.stdin);
const [input] = await new Promise((resolve) => lines.once('line', (line) => resolve([line])));
/** @type {import('./load.ts').StreamOptions} */
const { url, connections, reopen } = JSON.parse(input);
const { hostname, port, pathname } = new URL(url);
const request = Buffer.from(
  `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\naccept: text/event-stream\r\n\r\n`,
);
/** What comes before the first list: the response's head and tRPC's own `connected` event. */
const BEFORE_LIST_BYTES = 2000;
/** All streams read into it. */
const buffer = Buffer.allocUnsafe(256 * 1024);

/** To the end of the first list, in microseconds. */
const latencies = createHistogram();
let [open, lost, refused, bytes, snapshots] = [0, 0, 0, 0, 0];

/** Resolves with the first list's end. */
function view() {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let [received, complete] = [0, false];
    const socket = connect({
      port: Number(port),
      host: hostname,
      onread: {
        buffer,
        callback(length, read) {
          bytes += length;
          if (complete) return true;
          const data = read.subarray(0, length);
          if (received === 0 && data.latin1Slice(9, 12) !== '200') {
            refused++;
            socket.destroy();
            return true;
          }
          received += length;
          if (received < BEFORE_LIST_BYTES || !data.includes('\n\n')) return true;
          complete = true;
          open++;
          snapshots++;
          latencies.record(Math.round((performance.now() - startedAt) * 1000));
          if (reopen) socket.destroy();
          else resolve();
          return true;
        },
      },
    });
    socket.on('connect', () => socket.write(request));
    socket.on('error', () => {});
    socket.on('close', () => {
      if (complete) open--;
      if (!reopen || !complete) lost++;
      resolve();
    });
  });
}

if (reopen) {
  for (let n = 0; n < connections; n++) {
    void (async () => {
      for (;;) {
        await view();
        // What is refused comes again, but not in a busy loop.
        if (refused > 0) await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
  }
} else {
  // Some at a time, so that the queue of new connections does not overflow.
  let next = 0;
  const some = async () => {
    while (next++ < connections) await view();
  };
  await Promise.all(Array.from({ length: 20 }, some));
}
const openedAt = performance.now();
bytes = 0;
console.log('open');
const cpu = process.cpuUsage();
await new Promise((resolve) => lines.once('close', resolve));
const seconds = (performance.now() - openedAt) / 1000;
const { user, system } = process.cpuUsage(cpu);
console.log(
  JSON.stringify({
    open,
    lost,
    refused,
    perSecond: snapshots / seconds,
    megabytesPerSecond: bytes / 1e6 / seconds,
    p50: latencies.percentile(50) / 1000,
    p99: latencies.percentile(99) / 1000,
    busy: (user + system) / 1e6 / seconds,
  }),
);
process.exit();
