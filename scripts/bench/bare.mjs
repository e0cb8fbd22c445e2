// The limit to measure against: a node:http server that reads the same requests and writes the same
// bytes, and does nothing else. Prints its port.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** @type {Record<string, { status: number, headers: Record<string, string>, body: string }>} */
const answers = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const ready = new Map(
  Object.entries(answers).map(([name, { status, headers, body }]) => [
    name,
    { status, headers, body: Buffer.from(body, 'base64') },
  ]),
);

const server = createServer((request, response) => {
  const send = () => {
    const { status, headers, body } = ready.get(request.headers['x-bench']);
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
