import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createTestDatabase } from '../support/databases.ts';
import { endAllServers, startServerProcess } from '../support/server-process.ts';

afterEach(endAllServers);

it('more idle connections than file descriptors lock nobody out', async () => {
  const sockets: Socket[] = [];
  const database = await createTestDatabase();
  const server = await startServerProcess(database.env, { openFiles: 400 });
  try {
    const { hostname, port } = new URL(server.url);
    await Promise.all(
      Array.from({ length: 600 }, async (_, n) => {
        const socket = connect(Number(port), hostname);
        sockets.push(socket);
        socket.on('error', () => undefined);
        await new Promise((resolve) => socket.once('connect', resolve));
        // Half of them begin a request and never finish it.
        if (n % 2) socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
      }),
    );
    // Pages, files, and a write to the database.
    for (const path of ['/healthz', '/', '/favicon.svg', '/api/mesh'])
      expect((await fetch(`${server.url}${path}`)).status).toBe(200);
    const ping = await fetch(`${server.url}/api/mesh/ping`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ nodeId: 'node_a', lat: 1, lng: 2 }),
    });
    expect(ping.status).toBe(201);
    expect(server.output()).not.toContain('EMFILE');
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.end('SIGTERM');
    await database.drop();
  }
});
