import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test, type TestContext } from 'vitest';
import { CHECK_EVERY_MS, CHECK_LIMIT_MS, GenesisMonitor } from './monitor.ts';

/**
 * Starts a peer that answers so, and a monitor that checks it.
 * @param test the test's own: these run side by side, and each ends what it has started
 */
async function monitored({ onTestFinished }: TestContext, answer: RequestListener) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let checked: (status: string) => void;
  const firstCheck = new Promise<string>((resolve) => (checked = resolve));
  const monitor = new GenesisMonitor(`http://127.0.0.1:${port}/health`, Date.now, ({ status }) =>
    checked(status),
  );
  onTestFinished(async () => {
    monitor.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  monitor.start();
  return { monitor, requests, firstCheck, server };
}

describe.concurrent('the monitor of the bootstrap peer', () => {
  test('without a URL the health stays unknown', () => {
    const monitor = new GenesisMonitor(undefined, Date.now);
    monitor.start();
    expect(monitor.health).toEqual({
      status: 'unknown',
      checkedAt: null,
      lastSeen: null,
      latencyMs: null,
    });
    monitor.stop();
  });

  test.for([200, 204])('%i is online', async (status, context) => {
    const before = Date.now();
    const { monitor, firstCheck } = await monitored(context, (_, response) => {
      response.writeHead(status).end();
    });
    expect(await firstCheck).toBe('online');
    const { checkedAt, lastSeen, latencyMs } = monitor.health;
    expect(checkedAt).toBeGreaterThanOrEqual(before);
    expect(checkedAt).toBeLessThanOrEqual(Date.now());
    expect(lastSeen).toBe(checkedAt);
    expect(latencyMs).toBeGreaterThanOrEqual(0);
  });

  test.for([301, 302, 307, 308, 400, 404, 500, 503])('%i is offline', async (status, context) => {
    const { monitor, firstCheck, requests } = await monitored(context, (request, response) => {
      response
        .writeHead(request.url === '/well' ? 200 : status, { location: '/well' })
        .end('all is well');
    });
    expect(await firstCheck).toBe('offline');
    expect(monitor.health).toMatchObject({ lastSeen: null, latencyMs: null });
    expect(requests).toEqual(['/health']);
  });

  test('a connection that is closed without an answer is offline', async (context) => {
    const { firstCheck } = await monitored(context, (request) => request.socket.destroy());
    expect(await firstCheck).toBe('offline');
  });

  test('nobody there is offline', async (context) => {
    const { server, firstCheck } = await monitored(context, (_, response) => void response.end());
    await firstCheck;
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    const status = await new Promise((resolve) => {
      const monitor = new GenesisMonitor(`http://127.0.0.1:${port}/`, Date.now, (health) => {
        monitor.stop();
        resolve(health.status);
      });
      monitor.start();
    });
    expect(status).toBe('offline');
  });

  test('no answer within four seconds is offline, and the request is given up', async (context) => {
    let gaveUp: (value: unknown) => void;
    const givenUp = new Promise((resolve) => (gaveUp = resolve));
    const startedAt = performance.now();
    const { monitor, firstCheck, requests } = await monitored(context, (request) => {
      request.socket.on('close', () => gaveUp(undefined));
    });
    expect(monitor.health.status).toBe('unknown');
    expect(await firstCheck).toBe('offline');
    const took = performance.now() - startedAt;
    expect(took).toBeGreaterThan(CHECK_LIMIT_MS - 100);
    expect(took).toBeLessThan(4 * CHECK_LIMIT_MS);
    await givenUp;
    // One check at a time, and the next one not before its turn.
    expect(requests).toHaveLength(1);
  });

  test('a body without end does not hold the check up', async (context) => {
    let sent = 0;
    let closed: (value: unknown) => void;
    const isClosed = new Promise((resolve) => (closed = resolve));
    const { firstCheck } = await monitored(context, (_, response) => {
      response.writeHead(200);
      const flow = setInterval(() => {
        response.write(Buffer.alloc(16_384));
        sent += 16_384;
      }, 1);
      response.on('close', () => {
        clearInterval(flow);
        closed(undefined);
      });
    });
    expect(await firstCheck).toBe('online');
    await isClosed;
    expect(sent).toBeLessThan(50_000_000);
  });

  test('a stop ends the check that is under way, and there is no other', async (context) => {
    let gaveUp: (value: unknown) => void;
    const givenUp = new Promise((resolve) => (gaveUp = resolve));
    let asked: (value: unknown) => void;
    const isAsked = new Promise((resolve) => (asked = resolve));
    const { monitor } = await monitored(context, (request) => {
      request.socket.on('close', () => gaveUp(undefined));
      asked(undefined);
    });
    await isAsked;
    monitor.stop();
    await givenUp;
    expect(monitor.health.status).toBe('unknown');
    expect(monitor.version).toBe(0);
  });

  test(
    'the next check comes after ten seconds',
    { timeout: CHECK_EVERY_MS + 60_000 },
    async (context) => {
      const times: number[] = [];
      const { monitor } = await monitored(context, (_, response) => {
        times.push(performance.now());
        response.writeHead(times.length === 1 ? 200 : 500).end();
      });
      const becomes = async (status: string) => {
        while (monitor.health.status !== status)
          await new Promise((resolve) => setTimeout(resolve, 20));
      };
      await becomes('online');
      const { lastSeen, latencyMs } = monitor.health;
      await becomes('offline');
      const [first = 0, second = 0] = times;
      // From beginning to beginning; the first may have been long on its way.
      expect(second - first).toBeGreaterThan(CHECK_EVERY_MS / 2);
      expect(second - first).toBeLessThan(3 * CHECK_EVERY_MS);
      expect(monitor.health).toMatchObject({ lastSeen, latencyMs });
      expect(monitor.version).toBe(2);
    },
  );
});
