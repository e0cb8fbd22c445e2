// The upper limit to compare with: a node:http server that parses the same requests and writes the same
// bytes as the service, and does nothing else. Takes a file of answers and a number of processes; prints its port.
import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [file, processes] = process.argv.slice(2);
if (cluster.isPrimary && Number(processes) > 1) {
  let listening = 0;
  cluster.on('listening', (_, { port }) => {
    if (++listening === Number(processes)) console.log(port);
  });
  for (let n = 0; n < Number(processes); n++) cluster.fork();
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.process.kill();
    process.exit();
  });
} else serve();

function serve() {
  /** @type {Record<string, { status: number, headers: Record<string, string>, body: string }>} */
  const recorded = JSON.parse(readFileSync(file, 'utf8'));
  const answers = new Map(
    Object.entries(recorded).map(([name, { status, headers, body }]) => [
      name,
      { status, headers, body: Buffer.from(body, 'base64') },
    ]),
  );
  const server = createServer((request, response) => {
    const send = () => {
      const { status, headers, body } = answers.get(request.headers['x-bench']);
      response.writeHead(status, headers);
      response.end(body);
    };
    if (request.method !== 'POST') return send();
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString());
      send();
    });
  });
  server.listen(0, '127.0.0.1', () => {
    if (!cluster.isWorker) console.log(server.address().port);
  });
}
