// The upper limit to compare with: a node:http server that parses the same requests and writes the same bytes as the
// service, and does nothing else. Takes a number of processes, and a request of which the service's answer is the one to
// repeat: its URL and the options of node:http, with the body. Prints its own URL.
import cluster from 'node:cluster';
import { createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

const [processes, url, options] = process.argv.slice(2);
/** They differ from one connection to the next, or are node:http's own. */
const TRANSPORT_HEADERS = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

if (cluster.isPrimary) {
  let listening = 0;
  cluster.on('listening', (_, { port }) => {
    if (++listening === Number(processes)) console.log(`http://127.0.0.1:${port}/`);
  });
  for (let n = 0; n < Number(processes); n++) cluster.fork();
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.process.kill();
    process.exit();
  });
} else {
  const { body, ...asked } = JSON.parse(options);
  request(url, asked, async (answer) => {
    const headers = Object.entries(answer.headers).filter(
      ([name]) => !TRANSPORT_HEADERS.includes(name),
    );
    serve(answer.statusCode, Object.fromEntries(headers), await buffer(answer));
  }).end(body);
}

function serve(status, headers, bytes) {
  createServer((request, response) => {
    const send = () => {
      response.writeHead(status, headers);
      response.end(bytes);
    };
    if (request.method !== 'POST') return send();
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      send();
    });
  }).listen(0, '127.0.0.1');
}
