// The upper limit to compare with: a node:http server that parses the same requests and writes the same
// bytes as the service, and does nothing else. Takes a file of answers; prints its port.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** @type {Record<string, { status: number, headers: Record<string, string>, body: string }>} */
const recorded = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const answers = new Map(
  Object.entries(recorded).map(([name, { status, headers, body }]) => [
    name,
    { status, headers, body: Buffer.from(body, 'base64') },
  ]),
);

const server = createServer((request, response) => {
  const send = () => {
    if (request.url === '/cpu') return response.end(JSON.stringify(process.cpuUsage()));
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
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
