import type { RequestListener } from 'node:http';
import { describe, expect, test, type TestContext } from 'vitest';
import { startHttpServer } from '../../test/support/http-server.ts';
import { CHECK_TIMES, GenesisMonitor, type CheckTimes } from './genesis.ts';

/**
 * Starts a peer that answers with `answer`, and a monitor that checks it.
 * @param context that of the test, which runs beside others: what it starts ends with it
 */
async function monitored(
  { onTestFinished }: TestContext,
  answer: RequestListener,
  times: Partial<CheckTimes> = {},
) {
  const requests: string[] = [];
  const peer = await startHttpServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  });
  let checked: (status: string) => void;
  const firstCheck = new Promise<string>((resolve) => (checked = resolve));
  const monitor = new GenesisMonitor({
    ...times,
    url: `${peer.url}/health`,
    clock: Date.now,
    onCheck: ({ status }) => checked(status),
  });
  onTestFinished(async () => {
    monitor.stop();
    await peer.stop();
  });
  monitor.start();
  return { monitor, requests, firstCheck, peer };
}

describe.concurrent('the monitor of the bootstrap peer', () => {
  test('checks every 10 s, and gives up after 4 s, in the service', () => {
    expect(CHECK_TIMES).toEqual({ intervalMs: 10_000, timeoutMs: 4000 });
  });

  test('without a URL the health stays unknown', () => {
    const monitor = new GenesisMonitor({ url: undefined, clock: Date.now });
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

  test('the last 60 checks are remembered, the oldest first, with those that failed', async (context) => {
    let status = 500;
    const { monitor, requests, firstCheck } = await monitored(
      context,
      (_, response) => {
        response.writeHead(status).end();
        status = 200;
      },
      { intervalMs: 1 },
    );
    expect(monitor.checks()).toEqual({ everyMs: 1, lastAt: null, latencies: [] });
    await firstCheck;
    expect(monitor.checks().latencies[0]).toBeNull();
    await context.expect.poll(() => requests.length).toBeGreaterThan(62);
    const { lastAt, latencies } = monitor.checks();
    expect(lastAt).toBe(new Date(monitor.health.checkedAt ?? 0).toISOString());
    expect(latencies).toHaveLength(60);
    expect(latencies).not.toContain(null);
    expect(latencies.at(-1)).toBe(monitor.health.latencyMs);
  });

  test('a connection that closes without an answer is offline', async (context) => {
    const { firstCheck } = await monitored(context, (request) => request.socket.destroy());
    expect(await firstCheck).toBe('offline');
  });

  test('a refused connection is offline', async (context) => {
    const { peer, firstCheck } = await monitored(context, (_, response) => void response.end());
    await firstCheck;
    await peer.stop();
    const status = await new Promise((resolve) => {
      const monitor = new GenesisMonitor({
        url: peer.url,
        clock: Date.now,
        onCheck: (health) => {
          monitor.stop();
          resolve(health.status);
        },
      });
      monitor.start();
    });
    expect(status).toBe('offline');
  });

  test('no answer in time is offline, and the request is cancelled', async (context) => {
    let cancel: (value: unknown) => void;
    const cancelled = new Promise((resolve) => (cancel = resolve));
    const startedAt = performance.now();
    const timeoutMs = 300;
    const { monitor, firstCheck, requests } = await monitored(
      context,
      (request) => void request.socket.on('close', () => cancel(undefined)),
      { timeoutMs },
    );
    expect(monitor.health.status).toBe('unknown');
    expect(await firstCheck).toBe('offline');
    expect(performance.now() - startedAt).toBeGreaterThan(timeoutMs - 50);
    await cancelled;
    // The next check comes at its usual time, not at once.
    expect(requests).toHaveLength(1);
  });

  test('an endless body does not hold up the check', async (context) => {
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

  test('a stop cancels the check under way, and no other follows', async (context) => {
    let cancel: (value: unknown) => void;
    const cancelled = new Promise((resolve) => (cancel = resolve));
    let asked: (value: unknown) => void;
    const isAsked = new Promise((resolve) => (asked = resolve));
    const { monitor } = await monitored(context, (request) => {
      request.socket.on('close', () => cancel(undefined));
      asked(undefined);
    });
    await isAsked;
    monitor.stop();
    await cancelled;
    expect(monitor.health.status).toBe('unknown');
    expect(monitor.version).toBe(0);
  });

  test('the next check comes after the interval, and keeps the last success', async (context) => {
    const times: number[] = [];
    const intervalMs = 600;
    const { monitor } = await monitored(
      context,
      (_, response) => {
        times.push(performance.now());
        response.writeHead(times.length === 1 ? 200 : 500).end();
      },
      { intervalMs },
    );
    const becomes = async (status: string) => {
      while (monitor.health.status !== status)
        await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await becomes('online');
    const { lastSeen, latencyMs } = monitor.health;
    await becomes('offline');
    const [first = 0, second = 0] = times;
    // From beginning to beginning; the first request may have been on its way for a while.
    expect(second - first).toBeGreaterThan(intervalMs / 2);
    expect(monitor.health).toMatchObject({ lastSeen, latencyMs });
  });
});
