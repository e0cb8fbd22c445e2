// The upper limit to compare with: a node:http server that parses the same requests and writes the same bytes as the
// service, and does nothing else. Takes a file with the answer and a number of processes; prints its URL.
import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [file, processes] = process.argv.slice(2);
const printUrl = (port) => console.log(`http://127.0.0.1:${port}`);
if (cluster.isPrimary && Number(processes) > 1) {
  let listening = 0;
  cluster.on('listening', (_, { port }) => {
    if (++listening === Number(processes)) printUrl(port);
  });
  for (let n = 0; n < Number(processes); n++) cluster.fork();
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.process.kill();
    process.exit();
  });
} else serve();

function serve() {
  const { status, headers, body } = JSON.parse(readFileSync(file, 'utf8'));
  const bytes = Buffer.from(body, 'base64');
  const server = createServer((request, response) => {
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
  });
  server.listen(0, '127.0.0.1', () => {
    if (!cluster.isWorker) printUrl(server.address().port);
  });
}
