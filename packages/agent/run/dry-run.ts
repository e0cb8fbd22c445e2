import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Config } from '../config/load.ts';
import type { Env } from '../config/paths.ts';
import { announcement, heartbeatBody } from './bodies.ts';
import { nodeClient, readCredentials } from './credentials.ts';

/**
 * The requests that the agent would send now, as they would leave this machine, with the secret masked. `fetch` adds
 * headers of its own, so the requests are made, but to a socket in this process: nothing leaves the machine.
 * @throws CommandError if the secret or the key cannot be read
 */
export async function dryRun(config: Config, env: Env): Promise<string[]> {
  const capture = await startCapture();
  try {
    const requests: string[] = [];
    const { host } = new URL(config.service.url);
    const client = nodeClient(config, readCredentials(config, env), {
      retries: 0,
      fetch: async (input, init) => {
        const { pathname, search } = new URL(input as URL);
        const response = await fetch(new URL(pathname + search, capture.url), init);
        requests.push(
          capture
            .take()
            .replace(/^host: .*$/im, `host: ${host}`)
            .replace(/^(authorization: \w+) .*$/im, '$1 ********')
            .replaceAll('\r\n', '\n'),
        );
        return response;
      },
    });
    const body = heartbeatBody(config);
    if (body) await client.ping(body);
    const announced = await announcement(config, env, new AbortController().signal);
    if (announced.body) await client.announce(announced.body);
    return [...requests, ...announced.problems];
  } finally {
    capture.close();
  }
}

/** Accepts requests on a loopback socket, and hands out their bytes. */
async function startCapture() {
  let taken = '';
  const server = createServer((socket) => {
    let bytes = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (part: Buffer) => {
      bytes = Buffer.concat([bytes, part]);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [, length = '0'] =
        /^content-length: (\d+)$/im.exec(bytes.toString('latin1', 0, end)) ?? [];
      if (bytes.length < end + 4 + Number(length)) return;
      taken = bytes.toString('utf8');
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    take: () => taken,
    close: () => server.close(),
  };
}
